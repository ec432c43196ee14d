import type Stripe from "stripe";
import { sandboxDocument } from "../../page/document.ts";
import { type Html, html } from "../../page/html.ts";
import { formatAmount, formatInterval } from "../format.ts";
import type { CheckoutOrder } from "./order.ts";

interface PaymentPage {
  session: Stripe.Checkout.Session;
  order: CheckoutOrder;
  product: Stripe.Product;
  declined: boolean;
}

/** The page where the buyer pays, goes back, or sees what a declined card looks like. */
export function paymentPage({ session, order, product, declined }: PaymentPage): Html {
  const { unit_amount, currency, recurring } = order.price;
  const each = formatAmount(unit_amount ?? 0, currency);
  const total = formatAmount(session.amount_total ?? 0, currency);
  const action = `/sandbox/stripe/checkout/${session.id}`;
  return checkoutDocument(
    `Subscribe to ${product.name}`,
    html`
      ${declined && html`<p class="notice" role="alert">Your card was declined.</p>`}
      <h1>Subscribe to ${product.name}</h1>
      ${product.description && html`<p class="quiet">${product.description}</p>`}
      <dl>
        <div><dt>${product.name}</dt><dd>${each} ${recurring && formatInterval(recurring)}</dd></div>
        ${order.quantity > 1 && html`<div><dt>Quantity</dt><dd>${String(order.quantity)}</dd></div>`}
        <div class="total"><dt>Total due today</dt><dd>${total}</dd></div>
      </dl>
      ${session.customer_details?.email && html`<p class="quiet">For ${session.customer_details.email}</p>`}
      ${session.custom_text.submit && html`<p>${session.custom_text.submit.message}</p>`}
      <form method="post" action="${action}/pay"><button class="pay">Pay ${total}</button></form>
      ${
        session.cancel_url &&
        html`<form method="post" action="${action}/cancel"><button>Cancel and go back</button></form>`
      }
      <form method="post" action="${action}/decline"><button class="decline">Decline the card</button></form>`,
  );
}

export function paidPage(continueTo: string): Html {
  return checkoutDocument(
    "Already paid",
    html`<h1>Already paid</h1>
      <p>The subscription has started. There is nothing left to pay here.</p>
      <a class="button" href="${continueTo}">Continue</a>`,
  );
}

export function expiredPage(goBackTo: string | null): Html {
  return checkoutDocument(
    "Checkout expired",
    html`<h1>This checkout has expired</h1>
      <p>Nothing was paid. Go back and choose a plan to start again.</p>
      ${goBackTo && html`<a class="button" href="${goBackTo}">Go back</a>`}`,
  );
}

export function notFoundPage(): Html {
  return checkoutDocument(
    "Checkout not found",
    html`<h1>This checkout does not exist</h1>
      <p>The link may be incomplete. Go back to the site and choose a plan again.</p>
      <a class="button" href="/">Go to the home page</a>`,
  );
}

function checkoutDocument(title: string, content: Html): Html {
  return sandboxDocument({
    title: `${title} · Payment sandbox`,
    notice: "No money moves here, and no card is needed.",
    style: STYLE,
    content,
  });
}

/** The order is set like a line of a bank statement. */
const STYLE = html`
dl div { display: flex; align-items: baseline; gap: 0.5rem; padding: 0.35rem 0; }
dl div::before { content: ""; order: 1; flex: 1; min-width: 1rem; border-bottom: 2px dotted var(--rule); }
dd { order: 2; text-align: right; font-variant-numeric: tabular-nums; }
.total { font-weight: 650; }
.notice { margin: 0 0 1.5rem; padding-left: 0.9rem; border-left: 4px solid var(--coral); color: var(--coral); }
form { margin: 0 0 0.75rem; }
.pay { min-height: 52px; border-color: var(--green); background: var(--green); color: var(--on-green); font-weight: 650; }
.decline { border-color: transparent; color: var(--quiet); text-decoration: underline; text-underline-offset: 0.2em; }
`;
