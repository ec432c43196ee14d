import type Stripe from "stripe";
import { sandboxDocument } from "../../page/document.ts";
import { type Html, html } from "../../page/html.ts";
import { formatAmount, formatInterval } from "../format.ts";
import { cardFields, FORM_STYLE, type TypedCard, testCards } from "../payments/card-form.ts";
import type { CheckoutOrder } from "./order.ts";

/** What the buyer typed, and what was wrong with it. */
export interface Entered {
  card: TypedCard;
  name: string;
  error?: string;
}

interface PaymentPage {
  session: Stripe.Checkout.Session;
  order: CheckoutOrder;
  product: Stripe.Product;
  entered: Entered;
}

/** The page where the buyer pays, or goes back. */
export function paymentPage(shown: PaymentPage): Html {
  const { session, product, entered } = shown;
  const action = `/sandbox/stripe/checkout/${session.id}`;
  return checkoutDocument(
    `Subscribe to ${product.name}`,
    html`
      ${entered.error && html`<p class="notice" role="alert">${entered.error}</p>`}
      <h1>Subscribe to ${product.name}</h1>
      ${product.description && html`<p class="quiet">${product.description}</p>`}
      ${statement(shown)}
      ${session.customer_details?.email && html`<p class="quiet">For ${session.customer_details.email}</p>`}
      <form method="post" action="${action}/pay">
        ${cardFields(entered.card)}
        <label>Name on the card <input name="name" value="${entered.name}" autocomplete="off" maxlength="200"></label>
        ${session.custom_text.submit && html`<p>${session.custom_text.submit.message}</p>`}
        <button class="pay">${payLabel(session)}</button>
      </form>
      ${
        session.cancel_url &&
        html`<form method="post" action="${action}/cancel"><button>Cancel and go back</button></form>`
      }
      ${testCards(action)}`,
  );
}

function payLabel({ amount_total, currency }: Stripe.Checkout.Session): string {
  return amount_total ? `Pay ${formatAmount(amount_total, currency ?? "usd")}` : "Subscribe";
}

/** The order is set like a line of a bank statement. */
function statement({ session, order, product }: PaymentPage): Html {
  const { currency, recurring, unit_amount } = order.price;
  const each = html`${formatAmount(unit_amount ?? 0, currency)} ${recurring && formatInterval(recurring)}`;
  return html`
    <dl class="statement">
      <div><dt>${product.name}</dt><dd>${each}</dd></div>
      ${order.quantity > 1 && html`<div><dt>Quantity</dt><dd>${String(order.quantity)}</dd></div>`}
      <div class="total"><dt>Total due today</dt><dd class="amount">${formatAmount(session.amount_total ?? 0, currency)}</dd></div>
    </dl>`;
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
    notice: "No money moves here, and only test cards are taken.",
    style: FORM_STYLE,
    content,
  });
}
