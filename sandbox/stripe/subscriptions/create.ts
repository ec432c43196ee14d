import type Stripe from "stripe";
import { z } from "zod";
import { invalidRequest, resourceMissing } from "../api/errors.ts";
import {
  type ApiCall,
  integerBetween,
  list,
  mergeMetadata,
  metadata,
  readParams,
  text,
} from "../api/params.ts";
import { collectInvoice, draftInvoice } from "../invoices/bill.ts";
import { linesOfPeriod } from "../invoices/lines.ts";
import { existingCustomer } from "../objects/customers.ts";
import { recordEvent } from "../objects/events.ts";
import { findObject, insertObject, lockOr404, newId } from "../store.ts";
import type { Transaction } from "../transaction.ts";
import { assertBilledTogether, quantity, recurringPrice } from "./items.ts";
import { composeSubscription } from "./new-subscription.ts";

const DAY_SECONDS = 24 * 60 * 60;
const TWO_YEARS_DAYS = 730;

const createSchema = z.strictObject({
  customer: text,
  items: list(z.strictObject({ price: text, quantity: quantity.optional() })).refine(
    (items) => items.length >= 1 && items.length <= 20,
    { error: "A subscription has 1 to 20 items." },
  ),
  trial_period_days: integerBetween(1, TWO_YEARS_DAYS).optional(),
  default_payment_method: text.optional(),
  metadata,
});

/** Stores it, and has its first invoice paid: https://docs.stripe.com/api/subscriptions/create */
export async function createSubscription(call: ApiCall): Promise<Stripe.Subscription> {
  const { tx } = call;
  const { trial_period_days: days, ...params } = readParams(createSchema, call.params);
  const customer = await existingCustomer(tx, params.customer);
  const items = [];
  for (const [at, { price, quantity = 1 }] of params.items.entries()) {
    items.push({ price: await recurringPrice(tx, price, `items[${at}][price]`), quantity });
  }
  if (params.default_payment_method) await assertCardOf(tx, customer.id, params.default_payment_method);
  const subscription = composeSubscription(tx, {
    id: newId("sub"),
    customer,
    items,
    status: days === undefined ? "incomplete" : "trialing",
    trial_end: days === undefined ? null : tx.now + days * DAY_SECONDS,
    default_payment_method: params.default_payment_method,
    metadata: mergeMetadata({}, params.metadata),
  });
  assertBilledTogether(subscription.items.data, subscription.currency);
  await assertCanPay(tx, subscription);
  const invoice = await draftInvoice(tx, {
    customer: customer.id,
    subscription,
    billing_reason: "subscription_create",
    lines: await linesOfPeriod(tx, subscription),
  });
  const created = { ...subscription, latest_invoice: invoice.id };
  await insertObject(tx, created);
  await recordEvent(tx, { type: "customer.subscription.created", data: { object: created } });
  await collectInvoice(tx, invoice.id, { nextPaymentAttempt: null });
  return lockOr404(tx, "subscription", created.id);
}

/** @throws Stripe's 400 for a time that is over, or more than two years away */
export function futureTrialEnd(tx: Transaction, trial_end: number): number {
  if (trial_end > tx.now && trial_end <= tx.now + TWO_YEARS_DAYS * DAY_SECONDS) return trial_end;
  const rule = "must be a unix timestamp in the future, at most two years away";
  throw invalidRequest(`Invalid timestamp for trial_end: ${rule}.`, { param: "trial_end" });
}

/** @throws Stripe's 400 for a card that is not the customer's */
export async function assertCardOf(tx: Transaction, customer: string, id: string): Promise<void> {
  const method = await findObject(tx, "payment_method", id);
  if (!method) throw resourceMissing("PaymentMethod", id, "default_payment_method");
  if (method.customer === customer) return;
  const message = `The customer does not have a payment method with the ID ${id}. The payment method must be attached to the customer.`;
  throw invalidRequest(message, { code: "resource_missing", param: "default_payment_method" });
}

/** @throws Stripe's 400 when neither the subscription nor its customer has a card */
async function assertCanPay(tx: Transaction, subscription: Stripe.Subscription): Promise<void> {
  const isFree = subscription.items.data.every(({ price }) => !price.unit_amount);
  if (subscription.status === "trialing" || isFree || subscription.default_payment_method) return;
  const customer = await findObject(tx, "customer", String(subscription.customer));
  if (customer && !customer.deleted && customer.invoice_settings.default_payment_method) return;
  throw invalidRequest(
    "This customer has no attached payment source or default payment method. Please consider adding a default payment method.",
    { code: "resource_missing" },
  );
}
