import type Stripe from "stripe";
import { type Html, html, redirect } from "../../web.ts";
import { formatAmount, formatDate } from "../format.ts";
import { collectInvoice, lockInvoice, subscriptionOf } from "../invoices/bill.ts";
import { addCard, attachCard } from "../payments/cards.ts";
import { findAll, findObject, findOr404, lockOr404 } from "../store.ts";
import { saveSubscription } from "../subscriptions/subscriptions.ts";
import type { Transaction } from "../transaction.ts";
import { cardFields, readCard, testCards } from "./card-form.ts";
import { notFoundPage, orAgain, page, type Refusal, type Visit } from "./page.ts";
import { type PdfLine, plainPdf } from "./pdf.ts";

interface Shown {
  invoice: Stripe.Invoice;
  /** The payment intent; missing where nothing is due. */
  intent: Stripe.PaymentIntent | undefined;
  /** The refunded amount, in minor units. */
  refunded: number;
}

/** An invoice with its payment; undefined for a draft, which has no number. */
async function findShown(tx: Transaction, id: string): Promise<Shown | undefined> {
  const invoice = await findObject(tx, "invoice", id);
  if (!invoice?.number) return undefined;
  const [payment] = await findAll(tx, "invoice_payment", { invoice: id });
  const intent = payment && (await findObject(tx, "payment_intent", String(payment.payment.payment_intent)));
  const charge = intent?.latest_charge && (await findOr404(tx, "charge", String(intent.latest_charge)));
  return { invoice, intent, refunded: charge ? charge.amount_refunded : 0 };
}

export async function showInvoice(visit: Visit): Promise<Response> {
  const shown = await findShown(visit.tx, visit.id);
  return shown ? invoicePage(visit, shown) : notFoundPage();
}

/** Pays with another card, which the subscription keeps. */
export async function payInvoice(visit: Visit): Promise<Response> {
  const { tx, id, form } = visit;
  const address = `${tx.publicOrigin}/sandbox/stripe/invoice/${id}`;
  if (!(await findShown(tx, id))) return notFoundPage();
  const invoice = await lockInvoice(tx, id);
  if (invoice.status !== "open") return redirect(address);
  return orAgain(
    async () => {
      const card = await addCard(tx, readCard(tx, form));
      await attachCard(tx, card, String(invoice.customer));
      const outcome = await collectInvoice(tx, id, { paymentMethod: card.id });
      if (outcome === "failed") return redirect(address);
      const before = await lockOr404(tx, "subscription", subscriptionOf(invoice));
      await saveSubscription(tx, before, { ...before, default_payment_method: card.id });
      return redirect(bankOf((await findShown(tx, id))?.intent) ?? address);
    },
    async (refusal) => {
      const shown = await findShown(tx, id);
      return shown ? invoicePage(visit, shown, refusal) : notFoundPage();
    },
  );
}

/** The bank's page, where a cardholder confirms a payment (3D Secure); `id` is the payment's. */
export async function showInvoiceBank({ tx, id }: Visit): Promise<Response> {
  const intent = await findObject(tx, "payment_intent", id);
  if (!intent) return notFoundPage();
  if (intent.status !== "requires_action") {
    const content = html`<p>You can close this page, and go back to where you came from.</p>`;
    return page({ title: "Nothing to confirm", content });
  }
  const amount = formatAmount(intent.amount, intent.currency);
  const content = html`
    <p>Your bank asks whether it is you who pays <strong>${amount}</strong> for ${intent.description}.</p>
    <form method="post" action="/sandbox/stripe/authenticate/${id}">
      <button class="pay" name="result" value="succeeded">Complete authentication</button>
      <button name="result" value="failed">Fail authentication</button>
    </form>`;
  return page({ title: "Confirm with your bank", content });
}

export async function authenticateInvoice({ tx, id, form }: Visit): Promise<Response> {
  const [payment] = await findAll(tx, "invoice_payment", { payment: { payment_intent: id } });
  if (!payment) return notFoundPage();
  const invoice = String(payment.invoice);
  await lockInvoice(tx, invoice);
  const intent = await lockOr404(tx, "payment_intent", id);
  if (intent.status === "requires_action") {
    const paymentMethod = String(intent.payment_method);
    const authentication = form.get("result") === "succeeded" ? "succeeded" : "failed";
    await collectInvoice(tx, invoice, { paymentMethod, authentication });
  }
  return redirect(`${tx.publicOrigin}/sandbox/stripe/invoice/${invoice}`);
}

function bankOf(intent: Stripe.PaymentIntent | undefined): string | null {
  return (intent?.status === "requires_action" && intent.next_action?.redirect_to_url?.url) || null;
}

function invoicePage({ form }: Visit, shown: Shown, { error, status }: Refusal = {}): Response {
  const { invoice, intent } = shown;
  const isOpen = invoice.status === "open";
  const amount = (each: number) => formatAmount(each, invoice.currency);
  const address = `/sandbox/stripe/invoice/${invoice.id}`;
  const content = html`
    <p><strong>${stateOf(shown)}</strong></p>
    <dl class="statement">
      <div><dt>Invoice number</dt><dd>${invoice.number}</dd></div>
      <div><dt>Date</dt><dd>${formatDate(invoice.created)}</dd></div>
      <div><dt>From</dt><dd>${invoice.account_name}</dd></div>
      <div><dt>To</dt><dd>${invoice.customer_name ?? invoice.customer_email}</dd></div>
    </dl>
    <h2>What was billed</h2>
    <dl class="statement">
      ${invoice.lines.data.map(
        (line) =>
          html`<div><dt>${line.description}<br><small class="quiet">${periodOf(line)}</small></dt>
            <dd class="amount">${amount(line.amount)}</dd></div>`,
      )}
      ${totals(shown).map(
        ([name, each]) =>
          html`<div class="total"><dt>${name}</dt><dd class="amount">${amount(each)}</dd></div>`,
      )}
    </dl>
    ${isOpen && payment(address, form, bankOf(intent), amount(invoice.amount_remaining))}
    <a class="button" href="${address}/pdf">Download as PDF</a>`;
  return page({
    title: `${amount(invoice.amount_due)}`,
    content,
    error: error ?? (isOpen ? intent?.last_payment_error?.message : null),
    status: status ?? 200,
  });
}

function payment(address: string, form: URLSearchParams, bank: string | null, amount: string): Html {
  return html`
    ${
      bank &&
      html`<p>Your bank wants you to confirm this payment.</p>
        <a class="button pay" href="${bank}">Confirm with your bank</a>
        <h2>Or pay with another card</h2>`
    }
    <form method="post" action="${address}/pay">
      ${cardFields(form)}
      <button class="pay">Pay ${amount}</button>
    </form>
    ${testCards(address)}`;
}

function periodOf({ period }: Stripe.InvoiceLineItem): string {
  return `${formatDate(period.start)} to ${formatDate(period.end)}`;
}

function hasTax({ total_taxes }: Stripe.Invoice): boolean {
  return (total_taxes ?? []).length > 0;
}

/** The sums below the lines in minor units, without those that are zero. */
function totals({ invoice, refunded }: Shown): [string, number][] {
  const discount = (invoice.total_discount_amounts ?? []).reduce((sum, { amount }) => sum + amount, 0);
  const balance = invoice.amount_due - invoice.total;
  const sums: [string, number, boolean][] = [
    ["Subtotal", invoice.subtotal, discount !== 0 || hasTax(invoice)],
    ["Discount", -discount, discount !== 0],
    ["Tax", invoice.total - (invoice.total_excluding_tax ?? invoice.total), hasTax(invoice)],
    ["Total", invoice.total, true],
    [balance < 0 ? "From your balance" : "To your balance", balance, balance !== 0],
    ["Amount due", invoice.amount_due, balance !== 0],
    ["Amount paid", invoice.amount_paid, invoice.amount_paid !== 0],
    ["Refunded", -refunded, refunded !== 0],
  ];
  return sums.flatMap(([name, amount, isShown]): [string, number][] => (isShown ? [[name, amount]] : []));
}

/** `Paid on November 21, 2026` */
function stateOf({ invoice, refunded }: Shown): string {
  const { paid_at } = invoice.status_transitions;
  if (invoice.status === "void") return "Void: nothing is owed";
  if (invoice.status !== "paid") return "Not paid yet";
  if (refunded === 0) return paid_at ? `Paid on ${formatDate(paid_at)}` : "Paid";
  return refunded >= invoice.amount_paid ? "Paid, and refunded" : "Paid, and refunded in part";
}

export async function downloadInvoice({ tx, id }: Visit): Promise<Response> {
  const shown = await findShown(tx, id);
  if (!shown) return notFoundPage();
  const { invoice } = shown;
  const amount = (each: number) => formatAmount(each, invoice.currency);
  const pdf = plainPdf([
    [`Invoice ${invoice.number}`],
    [stateOf(shown)],
    [`From ${invoice.account_name} to ${invoice.customer_name ?? invoice.customer_email}`],
    [formatDate(invoice.created)],
    [""],
    ...invoice.lines.data.flatMap((line): PdfLine[] => [
      [line.description ?? "", amount(line.amount)],
      [periodOf(line)],
    ]),
    [""],
    ...totals(shown).map(([name, each]): PdfLine => [name, amount(each)]),
    [""],
    ["From the payment sandbox: no money has moved."],
  ]);
  return new Response(pdf, {
    headers: {
      "content-type": "application/pdf",
      "content-disposition": `inline; filename="Invoice-${invoice.number}.pdf"`,
      "cache-control": "no-store",
    },
  });
}
