import type Stripe from "stripe";
import { sandboxDocument } from "../../page/document.ts";
import { type Html, html } from "../../page/html.ts";
import type { Redeemable } from "../coupons/redemption.ts";
import { formatAmount, formatDate, formatInterval } from "../format.ts";
import { cardFields, FORM_STYLE, type TypedCard, testCards } from "../payments/card-form.ts";
import { asksForAddress, type CheckoutOrder, needsCard } from "./order.ts";

/** What the buyer typed, and what was wrong with it. */
export interface Entered {
  card: TypedCard;
  name: string;
  error?: string;
  code?: string;
  promotionError?: string;
}

interface PaymentPage {
  session: Stripe.Checkout.Session;
  order: CheckoutOrder;
  product: Stripe.Product;
  redeemed: Redeemable[];
  entered: Entered;
  /** Unix seconds. */
  now: number;
}

/** The page where the buyer pays, or goes back. */
export function paymentPage(shown: PaymentPage): Html {
  const { session, order, product, entered } = shown;
  const action = `/sandbox/stripe/checkout/${session.id}`;
  return checkoutDocument(
    `Subscribe to ${product.name}`,
    html`
      ${entered.error && html`<p class="notice" role="alert">${entered.error}</p>`}
      <h1>Subscribe to ${product.name}</h1>
      ${product.description && html`<p class="quiet">${product.description}</p>`}
      ${statement(shown)}
      ${session.customer_details?.email && html`<p class="quiet">For ${session.customer_details.email}</p>`}
      ${session.allow_promotion_codes && promotionForm(action, shown)}
      <form method="post" action="${action}/pay">
        ${needsCard(session) && cardForm(session, entered)}
        ${session.consent_collection?.terms_of_service === "required" && TERMS}
        ${session.custom_text.submit && html`<p>${session.custom_text.submit.message}</p>`}
        <button class="pay">${payLabel(session, order)}</button>
      </form>
      ${
        session.cancel_url &&
        html`<form method="post" action="${action}/cancel"><button>Cancel and go back</button></form>`
      }
      ${needsCard(session) && testCards(action)}`,
  );
}

function payLabel({ amount_total, currency }: Stripe.Checkout.Session, { subscription_data }: CheckoutOrder) {
  if (subscription_data.trial) return "Start trial";
  return amount_total ? `Pay ${formatAmount(amount_total, currency ?? "usd")}` : "Subscribe";
}

/** The order is set like a line of a bank statement. */
function statement({ session, order, product, redeemed, now }: PaymentPage): Html {
  const { currency, recurring, unit_amount } = order.price;
  const each = html`${formatAmount(unit_amount ?? 0, currency)} ${recurring && formatInterval(recurring)}`;
  const { trial } = order.subscription_data;
  const trialEnd = trial && ("end" in trial ? trial.end : now + trial.days * 24 * 60 * 60);
  return html`
    <dl class="statement">
      <div><dt>${product.name}</dt><dd>${each}</dd></div>
      ${order.quantity > 1 && html`<div><dt>Quantity</dt><dd>${String(order.quantity)}</dd></div>`}
      ${trialEnd !== null && html`<div><dt>Free until</dt><dd>${formatDate(trialEnd)}</dd></div>`}
      ${redeemed.map(({ coupon }) => discountLine(session, coupon, Boolean(trial)))}
      <div class="total"><dt>Total due today</dt><dd class="amount">${formatAmount(session.amount_total ?? 0, currency)}</dd></div>
    </dl>`;
}

function discountLine(session: Stripe.Checkout.Session, coupon: Stripe.Coupon, isLater: boolean): Html {
  const currency = session.currency ?? "usd";
  const off = coupon.percent_off
    ? `${coupon.percent_off}% off`
    : `${formatAmount(coupon.amount_off ?? 0, currency)} off`;
  const howLong = {
    forever: "for ever",
    once: "once",
    repeating: `for ${coupon.duration_in_months} months`,
  }[coupon.duration as "forever"];
  const amount = formatAmount(-(session.total_details?.amount_discount ?? 0), currency);
  return html`<div><dt>${coupon.name ?? "Discount"}, ${off} ${howLong}</dt><dd class="amount">${isLater ? "later" : amount}</dd></div>`;
}

function promotionForm(action: string, { redeemed, entered }: PaymentPage): Html {
  const [applied] = redeemed;
  if (applied) {
    return html`
      <form class="apart" method="post" action="${action}/remove-promotion">
        <button>Remove the code ${applied.promotion_code?.code}</button>
      </form>`;
  }
  return html`
    <form class="apart" method="post" action="${action}/promotion">
      ${entered.promotionError && html`<p class="notice" role="alert">${entered.promotionError}</p>`}
      <label>Promotion code <input name="code" value="${entered.code}" maxlength="100" required></label>
      <button>Apply</button>
    </form>`;
}

function cardForm(session: Stripe.Checkout.Session, { card, name }: Entered): Html {
  return html`
    ${cardFields(card)}
    <label>Name on the card <input name="name" value="${name}" autocomplete="off" maxlength="200"></label>
    ${asksForAddress(session) && ADDRESS_FIELDS}`;
}

const ADDRESS_FIELDS = html`
    <fieldset>
      <legend>Billing address</legend>
      <label>Country (two letters) <input name="country" value="US" pattern="[A-Za-z]{2}" maxlength="2" required></label>
      <label>Address <input name="line1" value="1 Sandbox Street" maxlength="200" required></label>
      <div class="pair">
        <label>City <input name="city" value="Springfield" maxlength="200" required></label>
        <label>Postal code <input name="postal_code" value="12345" maxlength="20" required></label>
      </div>
    </fieldset>`;

const TERMS = html`
  <label class="check"><input type="checkbox" name="terms" required> I agree to the terms of service.</label>`;

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
