import type Stripe from "stripe";
import { pageResponse, redirect } from "../../page/responses.ts";
import { readHostedForm } from "../../request-body.ts";
import { StripeApiError } from "../api/errors.ts";
import { enterTimeOf } from "../clocks/clock-time.ts";
import { formatAmount, formatDate } from "../format.ts";
import { attachCard, chargeSubscriptionTo } from "../payments/attachment.ts";
import { checkTypedCard, readCardForm } from "../payments/card-form.ts";
import { addCard } from "../payments/new-payment-method.ts";
import { invoiceOf } from "../payments/payment-intents.ts";
import { findObject, findOr404 } from "../store.ts";
import { inTransaction, type Site, type Transaction } from "../transaction.ts";
import { collectInvoice, lockInvoice, subscriptionOf } from "./bill.ts";
import { invoicePage, notFoundPage, receiptPage, stateOf, totals } from "./invoice-page.ts";
import { paymentsOf } from "./payments.ts";
import { plainPdf } from "./pdf.ts";

const FORM_TARGETS = ["'self'"];

/** The pages of one invoice: `path` is its id, then perhaps `pdf`, or `pay` for a POST. */
export async function handleHostedInvoice(request: Request, path: string, site: Site): Promise<Response> {
  const [id = "", part = "", ...more] = path.split("/");
  const answers = ANSWERS.get(part);
  if (!answers || more.length > 0) return pageResponse(404, notFoundPage());
  const answer = answers[request.method as "GET" | "POST"];
  if (!answer)
    return new Response(null, { status: 405, headers: { allow: Object.keys(answers).join(", ") } });
  const form = await readHostedForm(request);
  if (!form) return new Response("Too much was sent.\n", { status: 413 });
  return inTransaction(site, null, async (tx) => {
    await enterTimeOf(tx, [id], { lock: request.method === "POST" });
    const invoice = await findObject(tx, "invoice", id);
    if (!invoice?.number) return pageResponse(404, notFoundPage());
    return answer(tx, invoice, form);
  });
}

type Answer = (tx: Transaction, invoice: Stripe.Invoice, form: URLSearchParams) => Promise<Response>;

const ANSWERS = new Map<string, { GET?: Answer; POST?: Answer }>([
  ["", { GET: (tx, invoice, form) => showInvoice(tx, invoice, form, null) }],
  ["pay", { POST: pay }],
  ["pdf", { GET: download }],
]);

async function showInvoice(
  tx: Transaction,
  invoice: Stripe.Invoice,
  form: URLSearchParams,
  error: string | null,
): Promise<Response> {
  const intent = await intentOf(tx, invoice);
  const waiting = intent?.status === "requires_action" ? intent.next_action?.redirect_to_url?.url : null;
  const failure = intent?.last_payment_error?.message ?? null;
  const page = invoicePage({
    invoice,
    refunded: await refundedOf(tx, intent),
    authenticateAt: waiting ?? null,
    card: readCardForm(form),
    error: error ?? (invoice.status === "open" ? failure : null),
  });
  return pageResponse(error ? 402 : 200, page, FORM_TARGETS);
}

/** Pays with another card, which the subscription keeps. */
async function pay(tx: Transaction, { id }: Stripe.Invoice, form: URLSearchParams): Promise<Response> {
  const invoice = await lockInvoice(tx, id);
  const page = `${tx.publicOrigin}/sandbox/stripe/invoice/${id}`;
  if (invoice.status !== "open") return redirect(page);
  try {
    const card = await addCard(tx, checkTypedCard(tx, readCardForm(form)));
    await attachCard(tx, card, String(invoice.customer));
    const outcome = await collectInvoice(tx, id, { paymentMethod: card.id });
    if (outcome === "failed") return redirect(page);
    const subscription = subscriptionOf(invoice);
    if (subscription) await chargeSubscriptionTo(tx, subscription, card.id);
    const intent = await intentOf(tx, invoice);
    return redirect(outcome === "paid" ? page : (intent?.next_action?.redirect_to_url?.url ?? page));
  } catch (error) {
    if (!(error instanceof StripeApiError)) throw error;
    return showInvoice(tx, invoice, form, error.message);
  }
}

async function download(tx: Transaction, invoice: Stripe.Invoice): Promise<Response> {
  const shown = { invoice, refunded: await refundedOf(tx, await intentOf(tx, invoice)) };
  const amount = (each: number) => formatAmount(each, invoice.currency);
  const pdf = plainPdf(`Invoice ${invoice.number}`, [
    { left: `Invoice ${invoice.number}`, bold: true },
    { left: stateOf(shown) },
    { left: "" },
    { left: `From ${invoice.account_name}` },
    { left: `To ${invoice.customer_name ?? invoice.customer_email}` },
    { left: formatDate(invoice.status_transitions.finalized_at ?? invoice.created) },
    { left: "" },
    ...invoice.lines.data.flatMap((line) => [
      { left: line.description ?? "", right: amount(line.amount) },
      { left: `${formatDate(line.period.start)} to ${formatDate(line.period.end)}` },
    ]),
    { left: "" },
    ...totals(shown).map(([left, each]) => ({ left, right: amount(each), bold: true })),
    { left: "" },
    { left: "From the payment sandbox: no money has moved." },
  ]);
  return new Response(pdf as Uint8Array<ArrayBuffer>, {
    headers: {
      "content-type": "application/pdf",
      "content-disposition": `inline; filename="Invoice-${invoice.number}.pdf"`,
      "cache-control": "no-store",
    },
  });
}

async function intentOf(tx: Transaction, invoice: Stripe.Invoice): Promise<Stripe.PaymentIntent | undefined> {
  const [payment] = (await paymentsOf(tx, invoice.id)).data;
  const intent = payment?.payment.payment_intent;
  return intent ? findObject(tx, "payment_intent", String(intent)) : undefined;
}

async function refundedOf(tx: Transaction, intent: Stripe.PaymentIntent | undefined): Promise<number> {
  if (!intent?.latest_charge) return 0;
  return (await findOr404(tx, "charge", String(intent.latest_charge))).amount_refunded;
}

/** The receipt of one charge: `id` is the rest of the path. */
export async function handleReceipt(request: Request, id: string, site: Site): Promise<Response> {
  if (request.method !== "GET") return new Response(null, { status: 405, headers: { allow: "GET" } });
  return inTransaction(site, null, async (tx) => {
    const charge = await findObject(tx, "charge", id);
    if (!charge?.paid) return pageResponse(404, notFoundPage());
    const intent = await findObject(tx, "payment_intent", String(charge.payment_intent));
    const paid = intent && (await invoiceOf(tx, intent));
    const invoice = paid ? await findOr404(tx, "invoice", paid) : null;
    return pageResponse(200, receiptPage({ charge, invoice }));
  });
}
