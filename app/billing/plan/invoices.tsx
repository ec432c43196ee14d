import { requireUser } from "../../auth/session.server.ts";
import { fromContext } from "../../http/context.server.ts";
import type { Route } from "./+types/invoices.ts";
import { InvoiceList } from "./invoice-list.tsx";
import { listInvoices } from "./plan-overview.server.ts";
import { BackToDashboard, PlanPage } from "./plan-page.tsx";

/** Forty years of monthly invoices. */
const MOST_INVOICES = 500;

export async function loader(args: Route.LoaderArgs) {
  const user = await requireUser(args);
  const { app } = fromContext(args.context);
  return { invoices: await listInvoices(app.db, user.id, MOST_INVOICES) };
}

export default function Invoices({ loaderData: { invoices } }: Route.ComponentProps) {
  return (
    <PlanPage title="Invoices and receipts">
      {invoices.length === 0 ? <p>You have no invoices yet.</p> : <InvoiceList invoices={invoices} />}
      <BackToDashboard />
    </PlanPage>
  );
}
