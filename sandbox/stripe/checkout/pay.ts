import type Stripe from "stripe";
import { StripeApiError } from "../api/errors.ts";
import { collectInvoice, draftInvoice } from "../invoices/bill.ts";
import { linesOfPeriod } from "../invoices/lines.ts";
import { changeCustomer, existingCustomer, lockCustomer } from "../objects/customers.ts";
import { recordEvent } from "../objects/events.ts";
import { attachCard } from "../payments/attachment.ts";
import { AUTHENTICATION_FAILED, readAuthentication } from "../payments/authentication-page.ts";
import {
  needsAuthentication,
  refusalToPay,
  refusalToSave,
  rememberAuthentication,
} from "../payments/card-check.ts";
import { checkTypedCard, readCardForm } from "../payments/card-form.ts";
import { addCard } from "../payments/new-payment-method.ts";
import { insertObject, lockObject, newId, replaceObject } from "../store.ts";
import { composeSubscription } from "../subscriptions/new-subscription.ts";
import type { Transaction } from "../transaction.ts";
import type { Visit } from "./hosted-checkout.ts";
import { orderOf } from "./order.ts";

type Result =
  | { session: Stripe.Checkout.Session }
  /** The id of the card whose holder has to confirm first. */
  | { authenticate: string }
  /** What to tell the buyer. */
  | { error: string };

/** Takes the form of an open session: it is paid, or the buyer has to do something else first. */
export async function paySession(visit: Visit): Promise<Result> {
  const { tx, session, form } = visit;
  try {
    const card = checkTypedCard(tx, readCardForm(form));
    const name = form.get("name")?.slice(0, 200).toWellFormed() || null;
    const billing_details = { email: session.customer_details?.email ?? null, name };
    const paymentMethod = await addCard(tx, { ...card, billing_details });
    if (await needsAuthentication(tx, paymentMethod)) return { authenticate: paymentMethod.id };
    return await payWith(tx, session, paymentMethod);
  } catch (error) {
    if (!(error instanceof StripeApiError)) throw error;
    return { error: error.message };
  }
}

/** Goes on after the bank's page. */
export async function payAuthenticated({ tx, session, form, detail }: Visit): Promise<Result> {
  const paymentMethod = await lockObject(tx, "payment_method", detail);
  if (!paymentMethod || paymentMethod.customer) return { error: "Enter your card again." };
  if (readAuthentication(form) === "failed") return { error: AUTHENTICATION_FAILED };
  await rememberAuthentication(tx, paymentMethod.id);
  return payWith(tx, session, paymentMethod, "succeeded");
}

async function payWith(
  tx: Transaction,
  session: Stripe.Checkout.Session,
  paymentMethod: Stripe.PaymentMethod,
  authentication?: "succeeded",
): Promise<Result> {
  const refusal =
    refusalToSave(tx, paymentMethod) ??
    ((session.amount_total ?? 0) > 0 ? refusalToPay(tx, paymentMethod) : null);
  if (refusal) return { error: refusal.message };
  return { session: await complete(tx, session, paymentMethod, authentication) };
}

/** The subscription starts, its first invoice is paid and the session is over. */
async function complete(
  tx: Transaction,
  open: Stripe.Checkout.Session,
  paymentMethod: Stripe.PaymentMethod,
  authentication?: "succeeded",
): Promise<Stripe.Checkout.Session> {
  const customer = String(open.customer);
  const { name } = paymentMethod.billing_details;
  await attachCard(tx, { ...paymentMethod, allow_redisplay: "limited" }, customer);
  if (name) await nameCustomer(tx, customer, name);
  const started = await startSubscription(tx, open, paymentMethod.id, authentication);
  const session: Stripe.Checkout.Session = {
    ...open,
    ...started,
    status: "complete",
    payment_status: (open.amount_total ?? 0) > 0 ? "paid" : "no_payment_required",
    url: null,
    ...(open.customer_details &&
      name && {
        customer_details: { ...open.customer_details, name },
      }),
  };
  await replaceObject(tx, session);
  await recordEvent(tx, { type: "checkout.session.completed", data: { object: session } });
  return session;
}

async function startSubscription(
  tx: Transaction,
  session: Stripe.Checkout.Session,
  default_payment_method: string,
  authentication: "succeeded" | undefined,
) {
  const customer = String(session.customer);
  const { price, quantity, subscription_data } = await orderOf(tx, session);
  if (!price.recurring) {
    throw new Error(`Checkout session ${session.id} sells ${price.id}, which does not recur`);
  }
  const started = composeSubscription(tx, {
    id: newId("sub"),
    customer: await existingCustomer(tx, customer),
    items: [{ price: { ...price, recurring: price.recurring }, quantity }],
    status: "active",
    default_payment_method,
    metadata: subscription_data.metadata,
  });
  const invoice = await draftInvoice(tx, {
    customer,
    subscription: started,
    billing_reason: "subscription_create",
    lines: await linesOfPeriod(tx, started),
  });
  const bought: Stripe.Subscription = { ...started, latest_invoice: invoice.id };
  await insertObject(tx, bought);
  await recordEvent(tx, { type: "customer.subscription.created", data: { object: bought } });
  await collectInvoice(tx, invoice.id, { ...(authentication && { authentication }) });
  return { subscription: bought.id, invoice: invoice.id };
}

/** A customer without a name gets the one on the card. */
async function nameCustomer(tx: Transaction, id: string, name: string): Promise<void> {
  const customer = await lockCustomer(tx, id);
  if (!customer.name) await changeCustomer(tx, customer, { name });
}
