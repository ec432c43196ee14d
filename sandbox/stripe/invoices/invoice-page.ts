import type Stripe from "stripe";
import { sandboxDocument } from "../../page/document.ts";
import { type Html, html } from "../../page/html.ts";
import { formatAmount, formatDate } from "../format.ts";
import { cardFields, FORM_STYLE, type TypedCard, testCards } from "../payments/card-form.ts";

interface InvoicePage {
  invoice: Stripe.Invoice;
  /** What was given back of it, in minor units. */
  refunded: number;
  /** Where the cardholder confirms the payment; null when nobody waits for that. */
  authenticateAt: string | null;
  /** The card to pay with, shown while something is owed. */
  card: TypedCard;
  error: string | null;
}

/** Stands in for invoice.stripe.com: what was billed, and while it is open, the way to pay it. */
export function invoicePage(shown: InvoicePage): Html {
  const { invoice, error } = shown;
  const page = `/sandbox/stripe/invoice/${invoice.id}`;
  return invoiceDocument(
    `Invoice ${invoice.number}`,
    html`
      ${error && html`<p class="notice" role="alert">${error}</p>`}
      <h1>${formatAmount(invoice.amount_due, invoice.currency)}</h1>
      <p class="state">${stateOf(shown)}</p>
      <dl class="statement">
        <div><dt>Invoice number</dt><dd>${invoice.number}</dd></div>
        <div><dt>Date</dt><dd>${formatDate(invoice.status_transitions.finalized_at ?? invoice.created)}</dd></div>
        <div><dt>From</dt><dd>${invoice.account_name}</dd></div>
        <div><dt>To</dt><dd>${invoice.customer_name ?? invoice.customer_email}</dd></div>
      </dl>
      <h2>What was billed</h2>
      <dl class="statement">
        ${invoice.lines.data.map(
          ({ description, amount, period }) =>
            html`<div><dt>${description}<br><small class="quiet">${formatDate(period.start)} to ${formatDate(period.end)}</small></dt>
              <dd class="amount">${formatAmount(amount, invoice.currency)}</dd></div>`,
        )}
        ${totals(shown).map(
          ([name, amount]) =>
            html`<div class="total"><dt>${name}</dt><dd class="amount">${formatAmount(amount, invoice.currency)}</dd></div>`,
        )}
      </dl>
      ${invoice.status === "open" && payment(page, shown)}
      <a class="button" href="${page}/pdf">Download as PDF</a>`,
  );
}

/** The sums below the lines, those that are nothing left out. Minor units. */
export function totals({ invoice, refunded }: Pick<InvoicePage, "invoice" | "refunded">): [string, number][] {
  const discount = (invoice.total_discount_amounts ?? []).reduce((sum, { amount }) => sum + amount, 0);
  const balance = invoice.amount_due - invoice.total;
  const sums: [string, number, boolean][] = [
    ["Subtotal", invoice.subtotal, discount !== 0],
    ["Discount", -discount, discount !== 0],
    ["Total", invoice.total, true],
    [balance < 0 ? "From your balance" : "To your balance", balance, balance !== 0],
    ["Amount due", invoice.amount_due, balance !== 0],
    ["Amount paid", invoice.amount_paid, invoice.amount_paid !== 0],
    ["Refunded", -refunded, refunded !== 0],
  ];
  return sums.flatMap(([name, amount, isShown]) => (isShown ? [[name, amount] as [string, number]] : []));
}

/** `Paid on November 21, 2026` */
export function stateOf({ invoice, refunded }: Pick<InvoicePage, "invoice" | "refunded">): string {
  const { paid_at } = invoice.status_transitions;
  if (invoice.status === "paid") {
    const when = paid_at ? ` on ${formatDate(paid_at)}` : "";
    if (refunded === 0) return `Paid${when}`;
    return refunded >= invoice.amount_paid ? "Paid, and refunded" : "Paid, and refunded in part";
  }
  if (invoice.status === "void") return "Void: nothing is owed";
  return invoice.status === "uncollectible" ? "Uncollectible" : "Not paid yet";
}

function payment(page: string, { invoice, authenticateAt, card }: InvoicePage): Html {
  const amount = formatAmount(invoice.amount_remaining, invoice.currency);
  return html`
    ${
      authenticateAt &&
      html`<p>Your bank wants you to confirm this payment.</p>
        <a class="button pay" href="${authenticateAt}">Confirm with your bank</a>
        <h2>Or pay with another card</h2>`
    }
    <form method="post" action="${page}/pay">
      ${cardFields(card)}
      <button class="pay">Pay ${amount}</button>
    </form>
    ${testCards(page)}`;
}

interface ReceiptPage {
  charge: Stripe.Charge;
  invoice: Stripe.Invoice | null;
}

/** Stands in for pay.stripe.com/receipts. */
export function receiptPage({ charge, invoice }: ReceiptPage): Html {
  const { amount, amount_refunded, currency, payment_method_details } = charge;
  const card = payment_method_details?.card;
  return invoiceDocument(
    "Receipt",
    html`
      <h1>Receipt</h1>
      <dl class="statement">
        ${invoice && html`<div><dt>Invoice number</dt><dd>${invoice.number}</dd></div>`}
        <div><dt>Date paid</dt><dd>${formatDate(charge.created)}</dd></div>
        ${card && html`<div><dt>Payment method</dt><dd>${card.brand} ···· ${card.last4}</dd></div>`}
        <div class="total"><dt>Amount paid</dt><dd class="amount">${formatAmount(amount, currency)}</dd></div>
        ${
          amount_refunded > 0 &&
          html`<div class="total"><dt>Refunded</dt><dd class="amount">${formatAmount(-amount_refunded, currency)}</dd></div>`
        }
      </dl>
      ${invoice && html`<a class="button" href="/sandbox/stripe/invoice/${invoice.id}">View the invoice</a>`}`,
  );
}

export function notFoundPage(): Html {
  return invoiceDocument(
    "Not found",
    html`<h1>There is nothing here</h1>
      <p>The link may be incomplete.</p>
      <a class="button" href="/">Go to the home page</a>`,
  );
}

function invoiceDocument(title: string, content: Html): Html {
  return sandboxDocument({
    title: `${title} · Payment sandbox`,
    notice: "No money moves here, and only test cards are taken.",
    style: STYLE,
    content,
  });
}

const STYLE = html`
${FORM_STYLE}
h2 { margin: 2rem 0 0.5rem; font-size: 1.125rem; }
small { font-size: 0.875rem; }
.statement { margin: 1rem 0 1.5rem; }
.state { font-weight: 650; }
a.pay { margin-bottom: 1.5rem; padding-top: 0.85rem; }
`;
