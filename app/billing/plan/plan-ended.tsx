import { FormattedDate } from "../../ui/formatted-date.tsx";
import { formatMoney } from "../plans.ts";
import type { InvoiceLine, PlanOverview } from "./plan-overview.ts";

/** That the last plan is over, since when, and what came back. */
export function PlanEnded({ plan, invoices }: { plan: PlanOverview; invoices: InvoiceLine[] }) {
  const refunded = invoices.reduce((sum, { amountRefunded }) => sum + amountRefunded, 0);
  return (
    <p>
      {plan.name} ended{plan.endedAt && " on "}
      {plan.endedAt && <FormattedDate instant={plan.endedAt} />}. Nothing more will be charged.
      {refunded > 0 &&
        ` ${formatMoney(refunded, plan.price.currency)} went back the way you paid; banks take up to ten days to show it.`}
    </p>
  );
}
