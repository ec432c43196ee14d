import type Stripe from "stripe";
import type { NewLine } from "../invoices/compose.ts";
import { changeItems, type ItemChange, intervalOf, periodOf, recurringOf, withItems } from "./items.ts";
import { type BillingPeriod, billingPeriod, formatDay } from "./periods.ts";
import { creditFor, type Debit, prorate } from "./proration.ts";

export type ProrationBehavior = "always_invoice" | "create_prorations" | "none";

/** What is to be different about a subscription, as far as it changes what is billed. */
export interface Change {
  items: ItemChange[];
  proration_behavior: ProrationBehavior;
  /** Unix seconds: the time that prorations count from. */
  proration_date: number;
  trial_end?: number | undefined;
}

/** What has been billed for the subscription, and what its prices come to. All amounts in minor units. */
export interface BillingFacts {
  /** Unix seconds. */
  now: number;
  /** What was billed last for an item's current time. */
  debitOf: (item: Stripe.SubscriptionItem) => Debit | undefined;
  /** What an item costs for a whole period, after discounts. */
  netPriceOf: (item: Stripe.SubscriptionItem) => number;
  nameOf: (item: Stripe.SubscriptionItem) => string;
}

export interface ChangePlan {
  after: Stripe.Subscription;
  prorations: NewLine[];
  /** A new period begins now and is invoiced now: the interval changes. */
  startsPeriod: boolean;
}

/**
 * What a change of a subscription leads to, with nothing done yet: preview and update both use it, so that they agree.
 * https://docs.stripe.com/billing/subscriptions/prorations
 */
export function planChange(before: Stripe.Subscription, change: Change, facts: BillingFacts): ChangePlan {
  const { now } = facts;
  const isTrialing = before.status === "trialing";
  const trialEnd = change.trial_end;
  const changed = changeItems(before, change.items, now);
  const after = { ...before, items: withItems(before, changed) };
  const startsPeriod = trialEnd === undefined && !isTrialing && mustStartPeriod(before, after);
  const period = newPeriod(after, { startsPeriod, trialEnd, now });
  return {
    after: {
      ...after,
      items: withItems(
        before,
        changed.map((item) => ({ ...item, ...period })),
      ),
      ...(startsPeriod && { billing_cycle_anchor: now }),
      ...(trialEnd !== undefined && {
        billing_cycle_anchor: trialEnd,
        status: "trialing",
        trial_start: isTrialing ? before.trial_start : now,
        trial_end: trialEnd,
      }),
      ...(before.cancel_at_period_end && { cancel_at: period.current_period_end }),
    },
    prorations:
      isTrialing || change.proration_behavior === "none"
        ? []
        : prorationLines(before, after, {
            ...facts,
            at: change.proration_date,
            isRestarting: startsPeriod || trialEnd !== undefined,
          }),
    startsPeriod,
  };
}

/** Another interval, or from free to paid: https://docs.stripe.com/billing/subscriptions/billing-cycle#change-billing-cycle */
function mustStartPeriod(before: Stripe.Subscription, after: Stripe.Subscription): boolean {
  const [old, next] = [before.items.data[0], after.items.data[0]];
  if (!old || !next) return false;
  return (
    intervalOf(old.price) !== intervalOf(next.price) || (fullPrice(before) === 0 && fullPrice(after) > 0)
  );
}

function fullPrice({ items }: Stripe.Subscription): number {
  return items.data.reduce((sum, { price, quantity }) => sum + (price.unit_amount ?? 0) * (quantity ?? 1), 0);
}

interface NewPeriod {
  startsPeriod: boolean;
  trialEnd: number | undefined;
  now: number;
}

function newPeriod(after: Stripe.Subscription, { startsPeriod, trialEnd, now }: NewPeriod): BillingPeriod {
  if (trialEnd !== undefined) return { current_period_start: now, current_period_end: trialEnd };
  return startsPeriod ? billingPeriod(recurringOf(after), now, now) : periodOf(after);
}

interface Proration extends BillingFacts {
  at: number;
  /** All unused time is credited, and nothing but whole periods is charged. */
  isRestarting: boolean;
}

function prorationLines(
  before: Stripe.Subscription,
  after: Stripe.Subscription,
  proration: Proration,
): NewLine[] {
  const { current_period_start: start, current_period_end: end } = periodOf(before);
  const at = Math.min(Math.max(proration.at, start), end);
  const kept = proration.isRestarting ? new Set() : unchangedItems(before, after);
  const credits = before.items.data
    .filter(({ id }) => !kept.has(id))
    .flatMap((item) => creditLine(item, { ...proration, at, end }));
  const charges = (proration.isRestarting ? [] : after.items.data)
    .filter(({ id }) => !kept.has(id))
    .map((item): NewLine => {
      const amount = prorate({ amount: proration.netPriceOf(item), start, end }, at);
      return { ...proratedLine(item, { at, end, name: proration.nameOf(item) }, "Remaining"), amount };
    });
  return [...credits, ...charges];
}

function unchangedItems(before: Stripe.Subscription, after: Stripe.Subscription): Set<string> {
  const same = before.items.data.filter((old) =>
    after.items.data.some(
      ({ id, price, quantity }) => id === old.id && price.id === old.price.id && quantity === old.quantity,
    ),
  );
  return new Set(same.map(({ id }) => id));
}

function creditLine(
  item: Stripe.SubscriptionItem,
  { at, end, debitOf, nameOf }: Proration & { end: number },
): NewLine[] {
  const debit = debitOf(item);
  if (!debit) return [];
  const amount = creditFor(debit, at);
  return [{ ...proratedLine(item, { at, end, name: nameOf(item) }, "Unused"), amount }];
}

function proratedLine(
  { id, price, quantity = 1 }: Stripe.SubscriptionItem,
  { at, end, name }: { at: number; end: number; name: string },
  kind: "Remaining" | "Unused",
): Omit<NewLine, "amount"> {
  const what = quantity === 1 ? name : `${quantity} × ${name}`;
  return {
    price,
    quantity,
    description: `${kind} time on ${what} after ${formatDay(at)}`,
    period: { start: at, end },
    proration: true,
    subscription_item: id,
  };
}
