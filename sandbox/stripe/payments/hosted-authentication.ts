import { pageResponse, redirect } from "../../page/responses.ts";
import { readHostedForm } from "../../request-body.ts";
import { enterTimeOf } from "../clocks/clock-time.ts";
import { collectInvoice, lockInvoice } from "../invoices/bill.ts";
import { notFoundPage } from "../invoices/invoice-page.ts";
import { findObject, lockOr404 } from "../store.ts";
import { inTransaction, type Site, type Transaction } from "../transaction.ts";
import { authenticationPage, donePage, readAuthentication } from "./authentication-page.ts";
import { invoiceOf } from "./payment-intents.ts";

/** Stands in for the bank: `id` is the payment of an invoice that waits for the cardholder. */
export async function handleAuthentication(request: Request, id: string, site: Site): Promise<Response> {
  const isPost = request.method === "POST";
  if (!isPost && request.method !== "GET")
    return new Response(null, { status: 405, headers: { allow: "GET, POST" } });
  const form = await readHostedForm(request);
  if (!form) return new Response("Too much was sent.\n", { status: 413 });
  return inTransaction(site, null, async (tx) => {
    await enterTimeOf(tx, [id], { lock: isPost });
    const intent = await findObject(tx, "payment_intent", id);
    const invoice = intent && (await invoiceOf(tx, intent));
    if (!intent || !invoice) return pageResponse(404, notFoundPage());
    if (isPost) {
      await authenticate(tx, id, invoice, readAuthentication(form));
      return redirect(`${tx.publicOrigin}/sandbox/stripe/invoice/${invoice}`);
    }
    if (intent.status !== "requires_action") return pageResponse(200, donePage());
    const content = authenticationPage({
      action: `/sandbox/stripe/authenticate/${intent.id}`,
      amount: intent.amount,
      currency: intent.currency,
      what: intent.description ?? "later payments",
    });
    return pageResponse(200, content, ["'self'"]);
  });
}

async function authenticate(
  tx: Transaction,
  id: string,
  invoice: string,
  authentication: "succeeded" | "failed",
): Promise<void> {
  await lockInvoice(tx, invoice);
  const intent = await lockOr404(tx, "payment_intent", id);
  if (intent.status !== "requires_action") return;
  const paymentMethod = String(intent.payment_method);
  await collectInvoice(tx, invoice, { paymentMethod, authentication });
}
