import type Stripe from "stripe";
import { z } from "zod";
import { invalidRequest, resourceMissing } from "../api/errors.ts";
import {
  type ApiCall,
  boolean,
  integer,
  integerBetween,
  list,
  mergeMetadata,
  metadata,
  readParams,
  text,
  unsettable,
} from "../api/params.ts";
import { draftInvoice } from "../invoices/bill.ts";
import { existingCustomer } from "../objects/customers.ts";
import { recordEvent } from "../objects/events.ts";
import { findObject, insertObject, lockOr404, newId } from "../store.ts";
import type { Transaction } from "../transaction.ts";
import { cancelAtParam, cancellation } from "./cancel-at.ts";
import { discountParam, redeemDiscounts } from "./discounts.ts";
import { assertBilledTogether, quantity, recurringPrice } from "./items.ts";
import { linesOfPeriod } from "./lines.ts";
import { composeSubscription } from "./new-subscription.ts";
import { payInvoiceOf } from "./pay.ts";
import { canBeCharged } from "./renew.ts";

const DAY_SECONDS = 24 * 60 * 60;
const TWO_YEARS_DAYS = 730;

export const trialSettings = z.strictObject({
  end_behavior: z.strictObject({ missing_payment_method: z.enum(["cancel", "create_invoice", "pause"]) }),
});

const createSchema = z.strictObject({
  customer: text,
  items: list(
    z.strictObject({
      price: text,
      quantity: quantity.optional(),
      metadata,
    }),
  ).refine((items) => items.length >= 1 && items.length <= 20, {
    error: "A subscription has 1 to 20 items.",
  }),
  trial_period_days: integerBetween(1, TWO_YEARS_DAYS).optional(),
  trial_end: z.union([z.literal("now"), integer]).optional(),
  trial_settings: trialSettings.optional(),
  payment_behavior: z
    .enum(["allow_incomplete", "default_incomplete", "error_if_incomplete"])
    .default("allow_incomplete"),
  default_payment_method: text.optional(),
  discounts: unsettable(list(discountParam)).optional(),
  metadata,
  description: text.optional(),
  cancel_at: cancelAtParam.optional(),
  cancel_at_period_end: boolean.optional(),
  collection_method: z.enum(["charge_automatically"]).optional(),
  billing_mode: z.strictObject({ type: z.enum(["flexible"]) }).optional(),
  proration_behavior: z.enum(["always_invoice", "create_prorations", "none"]).optional(),
  off_session: boolean.default(false),
});

/** https://docs.stripe.com/api/subscriptions/create */
export async function createSubscription(call: ApiCall): Promise<Stripe.Subscription> {
  const { tx } = call;
  const params = readParams(createSchema, call.params);
  const customer = await existingCustomer(tx, params.customer);
  const items = [];
  for (const [at, { price, quantity = 1, metadata }] of params.items.entries()) {
    const found = await recurringPrice(tx, price, `items[${at}][price]`);
    items.push({ price: found, quantity, metadata: mergeMetadata({}, metadata) });
  }
  if (params.default_payment_method) await assertCardOf(tx, customer.id, params.default_payment_method);
  const trial_end = trialEnd(tx, params);
  const composed = composeSubscription(tx, {
    id: newId("sub"),
    customer,
    items,
    status: trial_end === null ? "incomplete" : "trialing",
    trial_end,
    trial_settings: params.trial_settings && {
      end_behavior: { billing_cycle_anchor: null, ...params.trial_settings.end_behavior },
    },
    default_payment_method: params.default_payment_method,
    description: params.description,
    metadata: mergeMetadata({}, params.metadata),
  });
  assertBilledTogether(composed.items.data, composed.currency);
  const subscription = { ...composed, ...cancellation(tx, composed, params) };
  await assertCanPay(tx, subscription, params.payment_behavior);
  return start(tx, subscription, params);
}

/** Stores it, and has its first invoice paid. */
async function start(
  tx: Transaction,
  subscription: Stripe.Subscription,
  { discounts, payment_behavior, off_session }: z.output<typeof createSchema>,
): Promise<Stripe.Subscription> {
  const redeemed = await redeemDiscounts(tx, subscription, discounts ?? []);
  const composed = { ...subscription, discounts: redeemed };
  const invoice = await draftInvoice(tx, {
    customer: String(composed.customer),
    subscription: composed,
    billing_reason: "subscription_create",
    lines: await linesOfPeriod(tx, composed),
  });
  const created = { ...composed, latest_invoice: invoice.id };
  await insertObject(tx, created);
  await recordEvent(tx, { type: "customer.subscription.created", data: { object: created } });
  await payInvoiceOf(tx, invoice.id, { payment_behavior, offSession: off_session, isRetried: false });
  return lockOr404(tx, "subscription", created.id);
}

function trialEnd(
  tx: Transaction,
  { trial_end, trial_period_days }: Pick<z.output<typeof createSchema>, "trial_end" | "trial_period_days">,
): number | null {
  if (trial_end !== undefined && trial_period_days !== undefined) {
    throw invalidRequest("You can only specify one of `trial_end` and `trial_period_days`.", {
      param: "trial_end",
    });
  }
  if (trial_period_days !== undefined) return tx.now + trial_period_days * DAY_SECONDS;
  if (trial_end === undefined || trial_end === "now") return null;
  return futureTrialEnd(tx, trial_end);
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

async function assertCanPay(
  tx: Transaction,
  subscription: Stripe.Subscription,
  payment_behavior: string,
): Promise<void> {
  const isFree = subscription.items.data.every(({ price }) => !price.unit_amount);
  if (subscription.status === "trialing" || isFree || payment_behavior === "default_incomplete") return;
  if (await canBeCharged(tx, subscription)) return;
  throw invalidRequest(
    "This customer has no attached payment source or default payment method. Please consider adding a default payment method.",
    { code: "resource_missing" },
  );
}
