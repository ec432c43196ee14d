import type Stripe from "stripe";
import { StripeApiError } from "../api/errors.ts";
import { addDiscount } from "../coupons/discounts.ts";
import { collectInvoice, draftInvoice } from "../invoices/bill.ts";
import { changeCustomer, existingCustomer } from "../objects/customers.ts";
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
import { insertObject, lockObject, lockOr404, newId, replaceObject } from "../store.ts";
import { linesOfPeriod } from "../subscriptions/lines.ts";
import { composeSubscription } from "../subscriptions/new-subscription.ts";
import type { Transaction } from "../transaction.ts";
import type { Visit } from "./hosted-checkout.ts";
import { asksForAddress, needsCard, orderOf } from "./order.ts";
import { redeemedBy } from "./promotion.ts";

type Result =
  | { session: Stripe.Checkout.Session }
  /** The id of the card whose holder has to confirm first. */
  | { authenticate: string }
  /** What to tell the buyer. */
  | { error: string };

/** Takes the form of an open session: it is paid, or the buyer has to do something else first. */
export async function paySession(visit: Visit): Promise<Result> {
  const { tx, session, form } = visit;
  if (session.consent_collection?.terms_of_service === "required" && !form.has("terms")) {
    return { error: "You must accept the terms of service to continue." };
  }
  if (!needsCard(session)) return { session: await complete(tx, session, null) };
  try {
    const card = checkTypedCard(tx, readCardForm(form));
    const name = form.get("name")?.slice(0, 200).toWellFormed() || null;
    const address = asksForAddress(session) ? readAddress(form) : null;
    const billing_details = { address, email: session.customer_details?.email ?? null, name };
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
  paymentMethod: Stripe.PaymentMethod | null,
  authentication?: "succeeded",
): Promise<Stripe.Checkout.Session> {
  const customer = String(open.customer);
  if (paymentMethod) {
    await attachCard(tx, { ...paymentMethod, allow_redisplay: "limited" }, customer);
    await updateCustomer(tx, customer, paymentMethod.billing_details);
  }
  const started = await startSubscription(tx, open, paymentMethod?.id ?? null, authentication);
  const session: Stripe.Checkout.Session = {
    ...open,
    ...started,
    status: "complete",
    payment_status: (open.amount_total ?? 0) > 0 ? "paid" : "no_payment_required",
    url: null,
    ...(open.consent_collection?.terms_of_service === "required" && {
      consent: { promotions: null, terms_of_service: "accepted" },
    }),
    ...(open.customer_details &&
      paymentMethod && {
        customer_details: {
          ...open.customer_details,
          address: paymentMethod.billing_details.address,
          name: paymentMethod.billing_details.name ?? open.customer_details.name,
        },
      }),
  };
  await replaceObject(tx, session);
  await recordEvent(tx, { type: "checkout.session.completed", data: { object: session } });
  return session;
}

async function startSubscription(
  tx: Transaction,
  session: Stripe.Checkout.Session,
  default_payment_method: string | null,
  authentication: "succeeded" | undefined,
) {
  const customer = String(session.customer);
  const { price, quantity, subscription_data } = await orderOf(tx, session);
  if (!price.recurring) {
    throw new Error(`Checkout session ${session.id} sells ${price.id}, which does not recur`);
  }
  const { trial, metadata, description } = subscription_data;
  const started = composeSubscription(tx, {
    id: newId("sub"),
    customer: await existingCustomer(tx, customer),
    items: [{ price: { ...price, recurring: price.recurring }, quantity }],
    status: trial ? "trialing" : "active",
    trial_end: trial && ("end" in trial ? trial.end : tx.now + trial.days * 24 * 60 * 60),
    default_payment_method,
    description,
    metadata,
  });
  const discounts: string[] = [];
  for (const redeemed of await redeemedBy(tx, session)) {
    const fields = { ...redeemed, customer, subscription: started.id, checkout_session: session.id };
    discounts.push((await addDiscount(tx, fields)).id);
  }
  const invoice = await draftInvoice(tx, {
    customer,
    subscription: { ...started, discounts },
    billing_reason: "subscription_create",
    lines: await linesOfPeriod(tx, started),
  });
  const bought: Stripe.Subscription = { ...started, discounts, latest_invoice: invoice.id };
  await insertObject(tx, bought);
  await recordEvent(tx, { type: "customer.subscription.created", data: { object: bought } });
  await collectInvoice(tx, invoice.id, { offSession: false, ...(authentication && { authentication }) });
  return { subscription: bought.id, invoice: invoice.id };
}

/** The customer keeps the name and the address that they gave with their card. */
async function updateCustomer(
  tx: Transaction,
  id: string,
  { name, address }: Stripe.PaymentMethod.BillingDetails,
): Promise<void> {
  await existingCustomer(tx, id);
  const customer = await lockOr404(tx, "customer", id);
  if (customer.deleted) return;
  await changeCustomer(tx, customer, {
    ...(name && !customer.name && { name }),
    ...(address && { address }),
  });
}

function readAddress(form: URLSearchParams): Stripe.Address {
  const read = (name: string) => form.get(name)?.slice(0, 200).toWellFormed() || null;
  return {
    city: read("city"),
    country: read("country"),
    line1: read("line1"),
    line2: null,
    postal_code: read("postal_code"),
    state: read("state"),
  };
}
