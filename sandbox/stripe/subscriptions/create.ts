import type Stripe from "stripe";
import { z } from "zod";
import { invalidRequest, notInSandbox } from "../api/errors.ts";
import {
  type ApiCall,
  integerBetween,
  list,
  mergeMetadata,
  metadata,
  readParams,
  text,
} from "../api/params.ts";
import { existingCustomer } from "../customers.ts";
import { addObject } from "../events.ts";
import { type Collection, collectInvoice, draftInvoice } from "../invoices/bill.ts";
import { linesOfPeriod } from "../invoices/compose.ts";
import { cardOfCustomer } from "../payments/cards.ts";
import type { PaymentOutcome } from "../payments/payments.ts";
import { lockOr404, newId, stripeObject } from "../store.ts";
import { assertMayBeTaxed, automaticTaxParam } from "../tax.ts";
import type { Transaction } from "../transaction.ts";
import { assertBilledTogether, newItem, quantity, type RecurringPrice, recurringPrice } from "./items.ts";
import { billingPeriod, DAY_SECONDS } from "./periods.ts";

const createSchema = z.strictObject({
  customer: text,
  items: list(z.strictObject({ price: text, quantity: quantity.optional() })).refine(
    (items) => items.length > 0,
    { error: "A subscription has at least one item." },
  ),
  trial_period_days: integerBetween(1, 730).optional(),
  automatic_tax: automaticTaxParam,
  default_payment_method: text.optional(),
  metadata,
});

/** Stores it, and has its first invoice paid: https://docs.stripe.com/api/subscriptions/create */
export async function createSubscription(call: ApiCall): Promise<Stripe.Subscription> {
  const { tx } = call;
  const {
    trial_period_days: days,
    default_payment_method,
    ...params
  } = readParams(createSchema, call.params);
  const customer = await existingCustomer(tx, params.customer);
  await assertMayBeTaxed(tx, params.automatic_tax, customer);
  const items = [];
  for (const [at, { price, quantity = 1 }] of params.items.entries()) {
    items.push({ price: await recurringPrice(tx, price, `items[${at}][price]`), quantity });
  }
  if (default_payment_method)
    await cardOfCustomer(tx, customer.id, default_payment_method, "default_payment_method");
  const isFree = days !== undefined || items.every(({ price }) => !price.unit_amount);
  if (!isFree && !default_payment_method && !customer.invoice_settings.default_payment_method) {
    throw invalidRequest(
      "This customer has no attached payment source or default payment method. Please consider adding a default payment method.",
      { code: "resource_missing" },
    );
  }
  const subscription = composeSubscription(tx, {
    customer,
    items,
    status: days === undefined ? "active" : "trialing",
    trial_end: days === undefined ? null : tx.now + days * DAY_SECONDS,
    default_payment_method: default_payment_method ?? null,
    isTaxed: params.automatic_tax?.enabled ?? false,
    metadata: mergeMetadata({}, params.metadata),
  });
  assertBilledTogether(subscription.items.data);
  const { outcome } = await startSubscription(tx, subscription, { nextPaymentAttempt: null });
  if (outcome !== "paid") throw notInSandbox("A subscription whose first payment fails");
  return lockOr404(tx, "subscription", subscription.id);
}

/** Stores a subscription that is new, and tries to have its first invoice paid. */
export async function startSubscription(
  tx: Transaction,
  subscription: Stripe.Subscription,
  collection: Collection,
): Promise<{ invoice: string; outcome: PaymentOutcome }> {
  const lines = await linesOfPeriod(tx, subscription);
  const { id } = await draftInvoice(tx, { subscription, billing_reason: "subscription_create", lines });
  await addObject(tx, "customer.subscription.created", { ...subscription, latest_invoice: id });
  return { invoice: id, outcome: await collectInvoice(tx, id, collection) };
}

interface SubscriptionFields {
  customer: Stripe.Customer;
  /** At least one; all are billed together. */
  items: { price: RecurringPrice; quantity: number }[];
  status: "active" | "trialing";
  trial_end?: number | null;
  default_payment_method: string | null;
  isTaxed: boolean;
  metadata: Stripe.Metadata;
}

/** A subscription that starts now: with a trial, or with its first period. */
export function composeSubscription(tx: Transaction, fields: SubscriptionFields): Stripe.Subscription {
  const { customer, items, trial_end = null, isTaxed, ...rest } = fields;
  const id = newId("sub");
  const [first] = items;
  if (!first) throw new Error(`Subscription ${id} has no items`);
  const period =
    trial_end === null
      ? billingPeriod(first.price.recurring, tx.now, tx.now)
      : { current_period_start: tx.now, current_period_end: trial_end };
  return stripeObject<Stripe.Subscription>({
    id,
    object: "subscription",
    ...rest,
    automatic_tax: { disabled_reason: null, enabled: isTaxed },
    billing_cycle_anchor: trial_end ?? tx.now,
    cancel_at: null,
    cancel_at_period_end: false,
    canceled_at: null,
    cancellation_details: { comment: null, feedback: null, reason: null },
    created: tx.now,
    currency: first.price.currency,
    customer: customer.id,
    discounts: [],
    ended_at: null,
    items: {
      object: "list",
      data: items.map((item) => newItem({ ...item, subscription: id, created: tx.now, period })),
      has_more: false,
    },
    latest_invoice: null,
    pause_collection: null,
    pending_update: null,
    schedule: null,
    start_date: tx.now,
    test_clock: customer.test_clock ?? null,
    trial_end,
    trial_start: trial_end === null ? null : tx.now,
  });
}
