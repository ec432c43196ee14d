import type Stripe from "stripe";
import { pageResponse, redirect } from "../../page/responses.ts";
import { enterTimeOf } from "../clocks/clock-time.ts";
import { readHostedForm } from "../hosted-form.ts";
import { collectInvoice, lockInvoice } from "../invoices/bill.ts";
import { notFoundPage } from "../invoices/invoice-page.ts";
import { findObject, findOr404, lockOr404 } from "../store.ts";
import { inTransaction, type Site, type Transaction } from "../transaction.ts";
import { attemptPayment } from "./attempt.ts";
import { authenticationPage, donePage, readAuthentication } from "./authentication-page.ts";
import { invoiceOf } from "./payment-intents.ts";
import { setUp } from "./setup-intents.ts";

/** Stands in for the bank: `id` is the payment or the setup that waits for the cardholder. */
export async function handleAuthentication(request: Request, id: string, site: Site): Promise<Response> {
  const isPost = request.method === "POST";
  if (!isPost && request.method !== "GET")
    return new Response(null, { status: 405, headers: { allow: "GET, POST" } });
  const form = await readHostedForm(request);
  if (!form) return new Response("Too much was sent.\n", { status: 413 });
  return inTransaction(site, null, async (tx) => {
    await enterTimeOf(tx, [id], { lock: isPost });
    const intent = (await findObject(tx, "payment_intent", id)) ?? (await findObject(tx, "setup_intent", id));
    if (!intent) return pageResponse(404, notFoundPage());
    if (isPost && intent.status === "requires_action") {
      if (intent.object === "payment_intent") await authenticatePayment(tx, id, readAuthentication(form));
      else await authenticateSetup(tx, id, readAuthentication(form));
    }
    return isPost ? leave(tx, intent) : show(intent);
  });
}

async function authenticatePayment(tx: Transaction, id: string, authentication: "succeeded" | "failed") {
  const invoice = await invoiceOf(tx, await findOr404(tx, "payment_intent", id));
  if (invoice) await lockInvoice(tx, invoice);
  const intent = await lockOr404(tx, "payment_intent", id);
  if (intent.status !== "requires_action") return;
  const card = String(intent.payment_method);
  if (invoice) await collectInvoice(tx, invoice, { offSession: false, paymentMethod: card, authentication });
  else {
    const paymentMethod = await findOr404(tx, "payment_method", card);
    await attemptPayment(tx, { intent, paymentMethod, authentication });
  }
}

async function authenticateSetup(tx: Transaction, id: string, authentication: "succeeded" | "failed") {
  const intent = await lockOr404(tx, "setup_intent", id);
  if (intent.status !== "requires_action") return;
  const card = await lockOr404(tx, "payment_method", String(intent.payment_method));
  await setUp(tx, intent, card, { authentication });
}

function show(intent: Stripe.PaymentIntent | Stripe.SetupIntent): Response {
  if (intent.status !== "requires_action") return pageResponse(200, donePage());
  const isPayment = intent.object === "payment_intent";
  const content = authenticationPage({
    action: `/sandbox/stripe/authenticate/${intent.id}`,
    amount: isPayment ? intent.amount : 0,
    currency: isPayment ? intent.currency : "usd",
    what: intent.description ?? "later payments",
  });
  const { return_url = null } = intent.next_action?.redirect_to_url ?? {};
  return pageResponse(200, content, ["'self'", ...(return_url ? [new URL(return_url).origin] : [])]);
}

/** Back to where the page was opened for, or to the invoice that was to be paid. */
async function leave(tx: Transaction, intent: Stripe.PaymentIntent | Stripe.SetupIntent): Promise<Response> {
  const { return_url = null } = intent.next_action?.redirect_to_url ?? {};
  if (return_url) {
    const url = new URL(return_url);
    url.searchParams.set(intent.object, intent.id);
    return redirect(url.href);
  }
  const invoice = intent.object === "payment_intent" ? await invoiceOf(tx, intent) : undefined;
  const page = invoice ? `invoice/${invoice}` : `authenticate/${intent.id}`;
  return redirect(`${tx.publicOrigin}/sandbox/stripe/${page}`);
}
