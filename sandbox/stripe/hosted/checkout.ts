import type Stripe from "stripe";
import { html, redirect } from "../../web.ts";
import { cardError } from "../api/errors.ts";
import { expireOverdueSessions, orderOf, productOf } from "../checkout/sessions.ts";
import { changeCustomer, existingCustomer, lockCustomer } from "../customers.ts";
import { replaceWithEvent } from "../events.ts";
import { formatAmount, intervalName } from "../format.ts";
import { addCard, attachCard } from "../payments/cards.ts";
import { lockObject } from "../store.ts";
import { composeSubscription, startSubscription } from "../subscriptions/create.ts";
import { nameOfTax } from "../tax.ts";
import type { Transaction } from "../transaction.ts";
import { addressFields, collectsAddress, saveAddress, wasShownOtherAmount } from "./billing-address.ts";
import { cardFields, readCard, testCards } from "./card-form.ts";
import { notFoundPage, orAgain, page, type Refusal, type Visit } from "./page.ts";

type Session = Stripe.Checkout.Session;

async function sessionOf({ tx, id }: Visit): Promise<Session | undefined> {
  await expireOverdueSessions(tx);
  return lockObject(tx, "checkout.session", id);
}

export async function showCheckout(visit: Visit): Promise<Response> {
  const session = await sessionOf(visit);
  return session?.status === "open" ? checkoutPage(visit, session) : closedPage(session);
}

/** Pressing the button twice has the same result: the session is paid either way. */
export async function payCheckout(visit: Visit): Promise<Response> {
  const { tx, form } = visit;
  const opened = await sessionOf(visit);
  if (opened?.status === "complete") return redirect(successUrl(opened));
  if (opened?.status !== "open") return closedPage(opened);
  let session = opened;
  return orAgain(
    async () => {
      session = await saveAddress(visit, opened);
      if (wasShownOtherAmount(visit, session)) return checkoutPage(visit, session);
      const name = form.get("name")?.slice(0, 200).toWellFormed() || null;
      const billing_details = { email: session.customer_details?.email ?? null, name };
      const typed = readCard(tx, form);
      const { declined } = typed.card;
      if (declined && session.amount_total) throw cardError(declined.message, "card_declined");
      const card = await addCard(tx, { ...typed, billing_details });
      return redirect(successUrl(await complete(tx, session, card)));
    },
    (refusal) => checkoutPage(visit, session, refusal),
  );
}

/** Stripe leaves the session open: the buyer may come back to it. */
export async function cancelCheckout(visit: Visit): Promise<Response> {
  const session = await sessionOf(visit);
  return session?.cancel_url ? redirect(session.cancel_url) : showCheckout(visit);
}

async function complete(tx: Transaction, session: Session, card: Stripe.PaymentMethod): Promise<Session> {
  const customer = await existingCustomer(tx, String(session.customer));
  const { name } = card.billing_details;
  await attachCard(tx, card, customer.id);
  if (name && !customer.name) await changeCustomer(tx, await lockCustomer(tx, customer.id), { name });
  const { price, metadata } = await orderOf(tx, session);
  const subscription = composeSubscription(tx, {
    customer,
    items: [{ price, quantity: 1 }],
    status: "active",
    default_payment_method: card.id,
    isTaxed: session.automatic_tax?.enabled ?? false,
    metadata,
  });
  const { invoice } = await startSubscription(tx, subscription, { authentication: "succeeded" });
  return replaceWithEvent(tx, "checkout.session.completed", {
    ...session,
    subscription: subscription.id,
    invoice,
    status: "complete",
    url: null,
    customer_details: session.customer_details && { ...session.customer_details, ...(name && { name }) },
  });
}

async function checkoutPage({ tx, form }: Visit, session: Session, refusal: Refusal = {}): Promise<Response> {
  const { price } = await orderOf(tx, session);
  const { address } = await existingCustomer(tx, String(session.customer));
  const tax = session.total_details?.amount_tax ?? 0;
  const isUntold = session.automatic_tax?.status === "requires_location_inputs";
  const product = await productOf(tx, price);
  const action = `/sandbox/stripe/checkout/${session.id}`;
  const { email, name } = session.customer_details ?? {};
  const each = `${formatAmount(price.unit_amount ?? 0, price.currency)} per ${intervalName(price.recurring)}`;
  const total = formatAmount(session.amount_total ?? 0, price.currency);
  const content = html`
    ${product.description && html`<p class="quiet">${product.description}</p>`}
    <dl class="statement">
      <div><dt>${product.name}</dt><dd>${each}</dd></div>
      ${isUntold && html`<div><dt>Tax</dt><dd>Enter your address</dd></div>`}
      ${tax > 0 && html`<div><dt>${nameOfTax(address)}</dt><dd>${formatAmount(tax, price.currency)}</dd></div>`}
      <div class="total"><dt>Total due today</dt><dd class="amount">${total}</dd></div>
    </dl>
    ${email && html`<p class="quiet">For ${email}</p>`}
    <form method="post" action="${action}/pay">
      ${cardFields(form)}
      <label>Name on the card <input name="name" value="${form.get("name") ?? name}" autocomplete="off" maxlength="200"></label>
      ${collectsAddress(session) && addressFields(form, address, session.amount_total ?? 0)}
      ${session.custom_text.submit && html`<p>${session.custom_text.submit.message}</p>`}
      <button class="pay">${session.amount_total ? `Pay ${total}` : "Subscribe"}</button>
    </form>
    ${
      session.cancel_url &&
      html`<form method="post" action="${action}/cancel"><button>Cancel and go back</button></form>`
    }
    ${testCards(action)}`;
  const targets = [successUrl(session), session.cancel_url];
  return page({ title: `Subscribe to ${product.name}`, content, ...refusal, targets });
}

function closedPage(session: Session | undefined): Response {
  if (!session) return notFoundPage();
  const { status, cancel_url } = session;
  if (status === "complete") {
    const content = html`<p>The subscription has started. There is nothing left to pay here.</p>
      <a class="button" href="${successUrl(session)}">Continue</a>`;
    return page({ title: "Already paid", content });
  }
  const content = html`<p>Nothing was paid. Go back and choose a plan to start again.</p>
    ${cancel_url && html`<a class="button" href="${cancel_url}">Go back</a>`}`;
  return page({ title: "This checkout has expired", content, status: 410 });
}

/** https://docs.stripe.com/payments/checkout/custom-success-page */
function successUrl({ success_url, id }: Session): string {
  return (success_url ?? "").replaceAll("{CHECKOUT_SESSION_ID}", id);
}
