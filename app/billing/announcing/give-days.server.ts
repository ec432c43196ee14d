import { and, eq, isNull } from "drizzle-orm";
import type Stripe from "stripe";
import { enqueue, type Job } from "../../outbox/outbox.server.ts";
import { saveProgress } from "../../outbox/progress.server.ts";
import { type DaysJob, GIVE_DAYS } from "../job-kinds.server.ts";
import { isOver } from "../plan/rules.ts";
import {
  changeAtPeriodEnd,
  itemOf,
  nextPhaseOf,
  nextPriceIdOf,
  releaseSchedule,
} from "../plan/stripe-plan.server.ts";
import { customers, planChanges, prices, stripeSubscriptions } from "../schema.ts";
import { nullIfMissing, type StripeApp, withIdempotencyKey } from "../stripe.server.ts";
import { DAYS_GIVEN, daysGivenTo } from "../sync/rows.ts";
import { syncCustomer } from "../sync/sync-customer.server.ts";
import { daysOwedTo } from "./waited-days.server.ts";

const DAY_SECONDS = 24 * 60 * 60;
const LATER_SECONDS = 6 * 60 * 60;
/** Within this time of a renewal, Stripe may make its invoice while we move it, so that we move it later. */
const RENEWAL_SECONDS = 10 * 60;

/**
 * Moves a subscription's next renewal or end by the days it waited for its plan's first feature: a trial without proration
 * (https://docs.stripe.com/billing/subscriptions/trials). Safe to repeat: the same call writes the days to its metadata. One that
 * is unpaid, paused or changing is retried later. @throws Stripe's errors
 */
export async function giveDays(app: StripeApp, owed: DaysJob, job: Pick<Job, "id">): Promise<void> {
  const { stripe, db } = app;
  const { subscriptionId } = owed;
  const [owner] = await db
    .select({ stripeCustomerId: customers.stripeCustomerId })
    .from(stripeSubscriptions)
    .innerJoin(customers, eq(customers.userId, stripeSubscriptions.userId))
    .where(eq(stripeSubscriptions.id, subscriptionId));
  if (!owner) return;
  const sync = () => syncCustomer(app, owner.stripeCustomerId);
  const retrieve = () =>
    nullIfMissing(stripe.subscriptions.retrieve(subscriptionId, { expand: ["schedule"] }));
  await sync();
  const subscription = await retrieve();
  if (!subscription || isOver(subscription.status)) return;
  if (daysGivenTo(subscription) === null) {
    const [open] = await db
      .select()
      .from(planChanges)
      .where(and(eq(planChanges.subscriptionId, subscriptionId), isNull(planChanges.appliedAt)));
    if (open || isUnsettled(subscription)) {
      await enqueue(db, GIVE_DAYS, owed, { delaySeconds: LATER_SECONDS });
      return;
    }
    const days = await daysOwedTo(db, subscriptionId, new Date(owed.openedAt));
    if (days === 0) return;
    const nextPriceId = nextPriceIdOf(subscription);
    if (nextPriceId) {
      owed = { ...owed, nextPriceId };
      await saveProgress<DaysJob>(db, job, { nextPriceId });
    }
    await releaseSchedule(stripe, subscription);
    await move(stripe, subscription, days);
  }
  if (owed.nextPriceId) {
    const [price] = await db.select().from(prices).where(eq(prices.id, owed.nextPriceId));
    const moved = await retrieve();
    if (price && moved && !moved.schedule && moved.cancel_at === null)
      await changeAtPeriodEnd(stripe, moved, nextPhaseOf(price));
  }
  await sync();
}

function isUnsettled(subscription: Stripe.Subscription): boolean {
  const { status, pause_collection, pending_update } = subscription;
  const secondsLeft = itemOf(subscription).current_period_end - Date.now() / 1000;
  return (
    (status !== "active" && status !== "trialing") ||
    pause_collection !== null ||
    pending_update !== null ||
    secondsLeft < RENEWAL_SECONDS
  );
}

async function move(stripe: Stripe, subscription: Stripe.Subscription, days: number): Promise<void> {
  const { id, cancel_at, cancel_at_period_end } = subscription;
  const trial_end = itemOf(subscription).current_period_end + days * DAY_SECONDS;
  const ends = cancel_at_period_end
    ? { cancel_at_period_end }
    : cancel_at !== null && { cancel_at: cancel_at + days * DAY_SECONDS };
  const params: Stripe.SubscriptionUpdateParams = {
    trial_end,
    proration_behavior: "none",
    ...ends,
    metadata: { [DAYS_GIVEN]: String(days) },
  };
  await withIdempotencyKey(`give-days-${id}-${trial_end}`, (idempotencyKey) =>
    stripe.subscriptions.update(id, params, { idempotencyKey }),
  );
}
