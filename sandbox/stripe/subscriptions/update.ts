import type Stripe from "stripe";
import { z } from "zod";
import { invalidRequest, resourceMissing, StripeApiError } from "../api/errors.ts";
import {
  type ApiCall,
  boolean,
  integer,
  mergeMetadata,
  metadata,
  readParams,
  text,
  unsettable,
} from "../api/params.ts";
import { discountsParam, redeemDiscounts } from "../coupons.ts";
import { existingCustomer } from "../customers.ts";
import { cardOfCustomer } from "../payments/cards.ts";
import { findObject, lockOr404 } from "../store.ts";
import { assertMayBeTaxed, automaticTaxParam } from "../tax.ts";
import type { Transaction } from "../transaction.ts";
import { applyChange, isInvoicedNow, linesOfChange } from "./apply-change.ts";
import { cancellationDetails } from "./end.ts";
import { itemsParam, periodOf, readItemChanges } from "./items.ts";
import { discardPendingUpdate } from "./pending-update.ts";
import { type ChangePlan, planChange, prorationBehavior } from "./proration.ts";
import { previewInvoice, previewRenewal } from "./renew.ts";
import { saveSubscription } from "./subscriptions.ts";

/** Parameters that affect billing; preview and update accept the same. */
const prorationParams = {
  items: itemsParam.optional(),
  proration_behavior: prorationBehavior,
  proration_date: integer.optional(),
};

const updateSchema = z.strictObject({
  ...prorationParams,
  trial_end: integer.optional(),
  payment_behavior: z.enum(["allow_incomplete", "pending_if_incomplete"]).default("allow_incomplete"),
  automatic_tax: automaticTaxParam,
  cancel_at: unsettable(integer).optional(),
  cancel_at_period_end: boolean.optional(),
  cancellation_details: cancellationDetails.optional(),
  default_payment_method: unsettable(text).optional(),
  discounts: unsettable(discountsParam).optional(),
  metadata,
  pause_collection: unsettable(z.strictObject({ behavior: z.enum(["keep_as_draft", "void"]) })).optional(),
});
type Update = z.output<typeof updateSchema>;

/** https://docs.stripe.com/api/subscriptions/update */
export async function updateSubscription({ tx, params, id }: ApiCall): Promise<Stripe.Subscription> {
  const update = readParams(updateSchema, params);
  const locked = await lockOr404(tx, "subscription", id);
  assertMayChange(locked, update);
  const isBilled = (update.items ?? []).length > 0 || update.trial_end !== undefined;
  if (!isBilled) return saveSubscription(tx, locked, await withSettings(tx, locked, update));
  const before = await discardPendingUpdate(tx, locked);
  const plan = await planUpdate(tx, await withSettings(tx, before, update), update);
  return applyChange(tx, before, {
    plan,
    proration_behavior: update.proration_behavior,
    isPendingIfUnpaid: update.payment_behavior === "pending_if_incomplete",
  });
}

type BillingUpdate = Pick<Update, "items" | "proration_behavior" | "proration_date" | "trial_end">;

/** @throws Stripe's 400 for what does not fit the subscription */
async function planUpdate(
  tx: Transaction,
  subscription: Stripe.Subscription,
  { items = [], proration_behavior, proration_date = tx.now, trial_end }: BillingUpdate,
): Promise<ChangePlan> {
  const { current_period_start, current_period_end } = periodOf(subscription);
  if (proration_date < current_period_start || proration_date > Math.max(current_period_end, tx.now)) {
    const rule = "Cannot specify a proration date outside the current billing period";
    throw invalidRequest(`${rule}.`, { param: "proration_date" });
  }
  if (trial_end !== undefined && trial_end <= tx.now)
    throw invalidRequest("Invalid timestamp for trial_end: must be in the future.", { param: "trial_end" });
  const changes = await readItemChanges(tx, items);
  return planChange(tx, subscription, { items: changes, proration_behavior, proration_date, trial_end });
}

async function withSettings(
  tx: Transaction,
  before: Stripe.Subscription,
  update: Update,
): Promise<Stripe.Subscription> {
  const { automatic_tax, default_payment_method: card, pause_collection, discounts } = update;
  await assertMayBeTaxed(tx, automatic_tax, await existingCustomer(tx, String(before.customer)));
  if (card) await cardOfCustomer(tx, String(before.customer), card, "default_payment_method");
  return {
    ...before,
    ...cancellation(tx, before, update),
    ...(automatic_tax && { automatic_tax: { ...before.automatic_tax, ...automatic_tax } }),
    ...(card !== undefined && { default_payment_method: card }),
    ...(pause_collection !== undefined && {
      pause_collection: pause_collection && { ...pause_collection, resumes_at: null },
    }),
    ...(discounts !== undefined && { discounts: await redeemDiscounts(tx, before, discounts ?? []) }),
    metadata: mergeMetadata(before.metadata, update.metadata),
  };
}

/** The changes of a subscription's end. @throws Stripe's 400 */
function cancellation(
  tx: Transaction,
  before: Stripe.Subscription,
  { cancel_at, cancel_at_period_end, cancellation_details }: Update,
): Partial<Stripe.Subscription> {
  const isOther = cancel_at_period_end !== undefined && cancel_at_period_end !== before.cancel_at_period_end;
  const periodEnd = cancel_at_period_end ? periodOf(before).current_period_end : null;
  const end = isOther ? periodEnd : cancel_at;
  if (end && end <= tx.now)
    throw invalidRequest("`cancel_at` must be a unix timestamp in the future.", { param: "cancel_at" });
  const known = { comment: null, feedback: null, reason: null, feedback_option: null };
  const details = { ...known, ...(end !== null && before.cancellation_details), ...cancellation_details };
  if (end === undefined) return cancellation_details ? { cancellation_details: details } : {};
  return {
    cancel_at: end,
    cancel_at_period_end: end !== null && (cancel_at_period_end ?? false),
    canceled_at: end === null ? null : tx.now,
    cancellation_details: end === null ? details : { ...details, reason: "cancellation_requested" },
  };
}

function assertMayChange({ status, schedule }: Stripe.Subscription, update: Update): void {
  // Every update has these.
  const { payment_behavior: behavior, proration_behavior: _, ...given } = update;
  const changes = Object.keys(given);
  const hasOther = (...allowed: string[]) => changes.find((name) => !allowed.includes(name));
  if (status === "canceled") {
    if (!hasOther("cancellation_details", "metadata")) return;
    throw invalidRequest("A canceled subscription can only update its cancellation_details and metadata.");
  }
  if (schedule && changes.some((name) => ["cancel_at", "cancel_at_period_end"].includes(name))) {
    throw invalidRequest(
      `The subscription is managed by the subscription schedule \`${schedule}\`, and updating any cancelation behavior directly is not allowed. Please update the schedule instead.`,
    );
  }
  // https://docs.stripe.com/billing/subscriptions/pending-updates-reference
  const unsupported = hasOther("items", "proration_date", "trial_end");
  if (behavior === "pending_if_incomplete" && unsupported) {
    throw invalidRequest(
      `When \`payment_behavior\` is set to \`pending_if_incomplete\`, you can only pass certain parameters; \`${unsupported}\` is not one of them.`,
      { param: unsupported },
    );
  }
}

const previewSchema = z.strictObject({
  subscription: text,
  subscription_details: z.strictObject(prorationParams).prefault({}),
});

/**
 * The invoice that a change would make at once, or else that of the next renewal:
 * https://docs.stripe.com/api/invoices/create_preview
 */
export async function createPreview({ tx, params }: ApiCall): Promise<Stripe.Invoice> {
  const { subscription: id, subscription_details: details } = readParams(previewSchema, params);
  const subscription = await findObject(tx, "subscription", id);
  if (!subscription) throw resourceMissing("subscription", id, "subscription");
  const { items = [] } = details;
  const isOver = subscription.status === "canceled";
  const plan: ChangePlan =
    items.length > 0 && !isOver
      ? await planUpdate(tx, subscription, details)
      : { after: subscription, prorations: [], startsPeriod: false };
  const { after } = plan;
  const lines = await linesOfChange(tx, plan);
  if (isInvoicedNow(plan, details.proration_behavior))
    return previewInvoice(tx, { subscription: after, lines });
  const { current_period_end } = periodOf(after);
  if (!isOver && (after.cancel_at === null || after.cancel_at > current_period_end))
    return previewRenewal(tx, after);
  const message = `No upcoming invoices for customer: '${String(subscription.customer)}'`;
  throw new StripeApiError(404, "invalid_request_error", message, { code: "invoice_upcoming_none" });
}
