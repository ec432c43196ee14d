import type Stripe from "stripe";
import { isBillingInterval } from "../plans.ts";
import { isInvalidRequest, isRefusal, stripeIdOf, withIdempotencyKey } from "../stripe.server.ts";
import { daysGivenTo } from "../sync/rows.ts";
import type { PlanChange } from "./plan-change-request.server.ts";
import { changeHappens, endsAtOnce, isOver, type RatedPrice } from "./rules.ts";

type Subscription = Stripe.Subscription;

export type TargetPrice = RatedPrice & { id: string };

/** Whether Stripe has what was requested. A change that waits for its payment counts. */
export function matchesRequest(
  subscription: Subscription,
  { kind, atOnce }: PlanChange,
  target: TargetPrice | null,
): boolean {
  const { cancel_at: cancelAt, status } = subscription;
  if (kind === "cancel") {
    // An end further ahead, set by an operator, lets it renew before.
    const endsInTime = cancelAt !== null && cancelAt <= itemOf(subscription).current_period_end;
    return endsInTime && !scheduleIdOf(subscription) && !atOnce && !endsAtOnce(status);
  }
  const isEnding = subscription.cancel_at_period_end || cancelAt !== null;
  if (isEnding) return false;
  const pending = subscription.pending_update?.subscription_items?.[0]?.price.id;
  const next = nextPriceIdOf(subscription);
  const wanted = target?.id ?? itemOf(subscription).price.id;
  if (pending) return pending === wanted && !next;
  return (next ?? itemOf(subscription).price.id) === wanted && (next !== null || !scheduleIdOf(subscription));
}

/** Whether a change that was reviewed for the period's end would be charged at once: Stripe's plan is another by now. */
export function isChargedUnreviewed(
  subscription: Subscription,
  { kind, prorationDate }: PlanChange,
  target: TargetPrice | null,
): boolean {
  if (kind !== "change" || prorationDate || !target) return false;
  return whenItHappens(subscription, target) === "now";
}

/** During given days, Stripe would charge nothing for a better plan: any change waits for the next payment. */
function whenItHappens(subscription: Subscription, target: TargetPrice) {
  const hasGivenDays = subscription.status === "trialing" && daysGivenTo(subscription) !== null;
  return hasGivenDays ? "at_period_end" : changeHappens(ratingOf(subscription), target);
}

/** Steps may be repeated; the one that charges has a key. @param refusals so far, part of the key */
export async function sendChange(
  stripe: Stripe,
  subscription: Subscription,
  change: PlanChange,
  target: TargetPrice | null,
  refusals: number,
): Promise<void> {
  if (change.kind === "cancel") return cancel(stripe, subscription, change);
  await discardPendingUpdate(stripe, subscription);
  try {
    await clearCancellation(stripe, subscription);
    const isChange = target !== null && target.id !== itemOf(subscription).price.id;
    if (isChange && whenItHappens(subscription, target) === "at_period_end")
      return await changeAtPeriodEnd(stripe, subscription, nextPhaseOf(target));
    await releaseSchedule(stripe, subscription);
    if (isChange) await changeNow(stripe, subscription, target, { change, refusals });
  } catch (error) {
    if (isRefusal(error)) await putBack(stripe, subscription);
    throw error;
  }
}

/** Restores a scheduled end or smaller plan when Stripe refused the change that removed it. */
async function putBack(stripe: Stripe, before: Subscription): Promise<void> {
  const current = await stripe.subscriptions.retrieve(before.id, { expand: ["schedule"] });
  if (isOver(current.status)) return;
  if (before.cancel_at !== null && current.cancel_at === null) {
    const { cancel_at_period_end, cancel_at } = before;
    await stripe.subscriptions.update(
      before.id,
      cancel_at_period_end ? { cancel_at_period_end } : { cancel_at },
    );
  }
  const next = before.schedule && typeof before.schedule !== "string" && before.schedule.phases.at(-1);
  const price = nextPriceIdOf(before);
  if (next && price && !scheduleIdOf(current))
    await changeAtPeriodEnd(stripe, current, { items: [{ price }], end_date: next.end_date });
}

async function cancel(stripe: Stripe, subscription: Subscription, change: PlanChange): Promise<void> {
  const cancellation_details = {
    ...(change.reason && { feedback: change.reason }),
    ...(change.comment && { comment: change.comment }),
  };
  await discardPendingUpdate(stripe, subscription);
  await releaseSchedule(stripe, subscription);
  if (change.atOnce || endsAtOnce(subscription.status))
    await endNow(stripe, subscription, cancellation_details);
  else
    await stripe.subscriptions.update(subscription.id, { cancel_at_period_end: true, cancellation_details });
}

/** Without proration. Open invoices are voided: paying them would buy nothing. */
export async function endNow(
  stripe: Stripe,
  subscription: Subscription,
  cancellation_details?: Stripe.SubscriptionCancelParams.CancellationDetails,
): Promise<void> {
  await stripe.subscriptions.cancel(subscription.id, {
    invoice_now: false,
    prorate: false,
    ...(cancellation_details && { cancellation_details }),
  });
  const unpaid = await stripe.invoices.list({ subscription: subscription.id, status: "open", limit: 100 });
  for (const { id } of unpaid.data) {
    await stripe.invoices.voidInvoice(id).catch((error: unknown) => {
      if (!isInvalidRequest(error)) throw error;
    });
  }
}

async function clearCancellation(stripe: Stripe, subscription: Subscription): Promise<void> {
  const { id, cancel_at_period_end, cancel_at } = subscription;
  if (cancel_at_period_end) await stripe.subscriptions.update(id, { cancel_at_period_end: false });
  else if (cancel_at !== null) await stripe.subscriptions.update(id, { cancel_at: "" });
}

/** Until the difference is paid, the change is a pending update (https://docs.stripe.com/billing/subscriptions/pending-updates). */
async function changeNow(
  stripe: Stripe,
  subscription: Subscription,
  target: TargetPrice,
  { change, refusals }: { change: PlanChange; refusals: number },
): Promise<void> {
  const item = itemOf(subscription);
  const { prorationDate } = change;
  const invoice = stripeIdOf(subscription.latest_invoice) ?? "none";
  const params: Stripe.SubscriptionUpdateParams = {
    items: [{ id: item.id, price: target.id }],
    proration_behavior: "always_invoice",
    payment_behavior: "pending_if_incomplete",
    ...(prorationDate && { proration_date: prorationSeconds(item, prorationDate) }),
  };
  await withIdempotencyKey(`${keyOf(change)}-${item.price.id}-${invoice}-${refusals}`, (idempotencyKey) =>
    stripe.subscriptions.update(subscription.id, params, { idempotencyKey }),
  );
}

/** In unix seconds; never before the current period, as Stripe's clock may be ahead of ours. */
export function prorationSeconds({ current_period_start }: Stripe.SubscriptionItem, at: Date): number {
  return Math.max(Math.floor(at.getTime() / 1000), current_period_start);
}

/** Two phases, then no schedule. Needs no key: a subscription can have only one schedule. */
export async function changeAtPeriodEnd(
  stripe: Stripe,
  subscription: Subscription,
  next: Stripe.SubscriptionScheduleUpdateParams.Phase,
): Promise<void> {
  const item = itemOf(subscription);
  const { schedule: current } = subscription;
  // A phase without discounts would remove the customer's.
  const discounts = subscription.discounts
    .flatMap((each) => stripeIdOf(each) ?? [])
    .map((discount) => ({ discount }));
  const schedule =
    current && typeof current !== "string"
      ? current
      : await stripe.subscriptionSchedules.create({ from_subscription: subscription.id });
  // The schedule's own settings may say otherwise.
  const taxed = subscription.automatic_tax?.enabled && { automatic_tax: { enabled: true } };
  const trialEnd = subscription.status === "trialing" ? subscription.trial_end : null;
  await stripe.subscriptionSchedules.update(schedule.id, {
    end_behavior: "release",
    proration_behavior: "none",
    phases: [
      {
        items: [{ price: item.price.id, quantity: item.quantity ?? 1 }],
        start_date: schedule.current_phase?.start_date ?? item.current_period_start,
        end_date: item.current_period_end,
        proration_behavior: "none",
        discounts,
        ...taxed,
        ...(trialEnd && { trial_end: trialEnd }),
      },
      {
        ...next,
        items: next.items.map((each) => ({ ...each, quantity: item.quantity ?? 1 })),
        discounts,
        ...taxed,
        proration_behavior: "none",
      },
    ],
  });
}

export function nextPhaseOf({ id, interval }: TargetPrice): Stripe.SubscriptionScheduleUpdateParams.Phase {
  return { items: [{ price: id }], duration: { interval, interval_count: 1 } };
}

export async function releaseSchedule(stripe: Stripe, subscription: Subscription): Promise<void> {
  const schedule = scheduleIdOf(subscription);
  if (schedule) await stripe.subscriptionSchedules.release(schedule);
}

/** An earlier change that waits for its payment is given up with its invoice. */
async function discardPendingUpdate(stripe: Stripe, subscription: Subscription): Promise<void> {
  const invoice = subscription.pending_update && stripeIdOf(subscription.latest_invoice);
  if (invoice) await stripe.invoices.voidInvoice(invoice);
}

function keyOf({ subscriptionId, number, requestedAt }: PlanChange): string {
  // With the time: numbers of refused and discarded requests are used again.
  return `plan-change-${subscriptionId}-${number}-${requestedAt.getTime()}`;
}

function scheduleIdOf({ schedule }: Subscription): string | null {
  return stripeIdOf(schedule);
}

export function nextPriceIdOf(subscription: Subscription): string | null {
  const { schedule } = subscription;
  if (!schedule || typeof schedule === "string") return null;
  const price = stripeIdOf(schedule.phases.at(-1)?.items[0]?.price ?? null);
  return price === itemOf(subscription).price.id ? null : price;
}

function ratingOf(subscription: Subscription): RatedPrice {
  const { unit_amount, recurring } = itemOf(subscription).price;
  const interval = recurring?.interval;
  return { unitAmount: unit_amount ?? 0, interval: isBillingInterval(interval) ? interval : "month" };
}

/** Each subscription has one price. @throws when Stripe returns none */
export function itemOf(subscription: Subscription): Stripe.SubscriptionItem {
  const item = subscription.items.data[0];
  if (!item) throw new Error(`subscription ${subscription.id} has no item`);
  return item;
}
