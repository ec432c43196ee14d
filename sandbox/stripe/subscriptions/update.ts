import type Stripe from "stripe";
import { z } from "zod";
import { invalidRequest } from "../api/errors.ts";
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
import { discountsParam, redeemDiscounts } from "../coupons/coupons.ts";
import { lockOr404 } from "../store.ts";
import type { Transaction } from "../transaction.ts";
import { billingFacts } from "./billing-facts.ts";
import { cancelAtParam, cancellation, cancellationDetails } from "./cancel-at.ts";
import { type ChangePlan, planChange } from "./change.ts";
import { assertCardOf, futureTrialEnd } from "./create.ts";
import { applyChange } from "./invoice-change.ts";
import { itemsParam, periodOf, readItemChanges } from "./items.ts";
import { discardPendingUpdate } from "./pending-update.ts";
import { saveSubscription } from "./subscriptions.ts";

/** What changes what is billed; preview and update take it alike. */
export const prorationParams = {
  items: itemsParam.optional(),
  proration_behavior: z.enum(["always_invoice", "create_prorations", "none"]).default("create_prorations"),
  proration_date: integer.optional(),
};
const billingParams = { ...prorationParams, trial_end: integer.optional() };
const billingSchema = z.object(billingParams);

const updateSchema = z.strictObject({
  ...billingParams,
  payment_behavior: z.enum(["allow_incomplete", "pending_if_incomplete"]).default("allow_incomplete"),
  cancel_at: cancelAtParam.optional(),
  cancel_at_period_end: boolean.optional(),
  cancellation_details: cancellationDetails.optional(),
  default_payment_method: unsettable(text).optional(),
  discounts: unsettable(discountsParam).optional(),
  metadata,
  pause_collection: unsettable(
    z.strictObject({ behavior: z.enum(["keep_as_draft", "void"]), resumes_at: integer.optional() }),
  ).optional(),
});
type Update = z.output<typeof updateSchema>;

/** https://docs.stripe.com/api/subscriptions/update */
export async function updateSubscription({ tx, params, id }: ApiCall): Promise<Stripe.Subscription> {
  const update = readParams(updateSchema, params);
  const locked = await lockOr404(tx, "subscription", id);
  assertMayChange(locked, update);
  if (!changesBilling(update)) return saveSubscription(tx, locked, await withSettings(tx, locked, update));
  const before = await discardPendingUpdate(tx, locked);
  const proration_date = update.proration_date ?? tx.now;
  const base = await withSettings(tx, before, update);
  const plan = await planUpdate(tx, base, { ...update, proration_date });
  return applyChange(tx, before, {
    plan,
    proration_behavior: update.proration_behavior,
    proration_date,
    isPendingIfUnpaid: update.payment_behavior === "pending_if_incomplete",
  });
}

export function changesBilling({ items = [], trial_end }: Partial<z.output<typeof billingSchema>>): boolean {
  return items.length > 0 || trial_end !== undefined;
}

/** @throws Stripe's 400 for what does not fit the subscription */
export async function planUpdate(
  tx: Transaction,
  subscription: Stripe.Subscription,
  { items = [], ...update }: z.output<typeof billingSchema> & { proration_date: number },
): Promise<ChangePlan> {
  const { current_period_start, current_period_end } = periodOf(subscription);
  const { proration_date, trial_end } = update;
  if (proration_date < current_period_start || proration_date > Math.max(current_period_end, tx.now)) {
    const rule = "Cannot specify a proration date outside the current billing period";
    throw invalidRequest(`${rule}.`, { param: "proration_date" });
  }
  if (trial_end !== undefined) futureTrialEnd(tx, trial_end);
  const change = { ...update, items: await readItemChanges(tx, items) };
  const changed = change.items.flatMap(({ price }) => price ?? []);
  const prices = [...subscription.items.data.map(({ price }) => price), ...changed];
  return planChange(subscription, change, await billingFacts(tx, subscription, prices));
}

/** The subscription with all that does not change what is billed now. */
async function withSettings(
  tx: Transaction,
  before: Stripe.Subscription,
  update: Update,
): Promise<Stripe.Subscription> {
  const { default_payment_method, pause_collection, discounts } = update;
  if (default_payment_method) await assertCardOf(tx, String(before.customer), default_payment_method);
  return {
    ...before,
    ...cancellation(tx, before, update),
    ...(default_payment_method !== undefined && { default_payment_method }),
    ...(pause_collection !== undefined && { pause_collection: pausedCollection(tx, pause_collection) }),
    ...(discounts !== undefined && { discounts: await redeemDiscounts(tx, before, discounts ?? []) }),
    metadata: mergeMetadata(before.metadata, update.metadata),
  };
}

function pausedCollection(
  tx: Transaction,
  pause: NonNullable<Update["pause_collection"]> | null,
): Stripe.Subscription.PauseCollection | null {
  if (pause?.resumes_at !== undefined && pause.resumes_at <= tx.now) {
    const message = "`pause_collection[resumes_at]` must be a unix timestamp in the future.";
    throw invalidRequest(message, { param: "pause_collection[resumes_at]" });
  }
  return pause && { behavior: pause.behavior, resumes_at: pause.resumes_at ?? null };
}

function assertMayChange({ status, schedule }: Stripe.Subscription, update: Update): void {
  const asked = Object.entries(update).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  const changes = asked.filter((name) => !DEFAULTED.includes(name));
  if (status === "canceled" || status === "incomplete_expired") {
    if (changes.every((name) => ["cancellation_details", "metadata"].includes(name))) return;
    throw invalidRequest("A canceled subscription can only update its cancellation_details and metadata.");
  }
  if (status === "incomplete") {
    if (changes.every((name) => ["default_payment_method", "metadata"].includes(name))) return;
    throw invalidRequest(
      "An incomplete subscription can only update its default_payment_method and metadata.",
    );
  }
  if (schedule && changes.some((name) => ["cancel_at", "cancel_at_period_end"].includes(name))) {
    throw invalidRequest(
      `The subscription is managed by the subscription schedule \`${schedule}\`, and updating any cancelation behavior directly is not allowed. Please update the schedule instead.`,
    );
  }
  const unsupported = changes.find((name) => !PENDING.includes(name));
  if (update.payment_behavior === "pending_if_incomplete" && unsupported) {
    throw invalidRequest(
      `When \`payment_behavior\` is set to \`pending_if_incomplete\`, you can only pass certain parameters; \`${unsupported}\` is not one of them.`,
      { param: unsupported },
    );
  }
}

/** Parameters that have a value in every update. */
const DEFAULTED = ["payment_behavior", "proration_behavior"];

/** https://docs.stripe.com/billing/subscriptions/pending-updates-reference */
const PENDING = ["items", "proration_date", "trial_end"];
