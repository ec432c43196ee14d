import type Stripe from "stripe";
import { z } from "zod";
import { notInSandbox } from "../api/errors.ts";
import { amountOff, discountOf } from "../coupons.ts";
import { invoicesOf } from "../invoices/bill.ts";
import { type NewLine, productName } from "../invoices/compose.ts";
import type { Transaction } from "../transaction.ts";
import { changeItems, type ItemChange, intervalOf, periodOf, recurringOf, withItems } from "./items.ts";
import { billingPeriod } from "./periods.ts";

type Subscription = Stripe.Subscription;
type Item = Stripe.SubscriptionItem;

/** Stripe's default keeps prorations for the next invoice, which the sandbox does not. */
export const prorationBehavior = z
  .enum(["always_invoice", "create_prorations", "none"])
  .default("create_prorations");
export type ProrationBehavior = z.output<typeof prorationBehavior>;

/** The requested change of a subscription, as far as it affects billing. */
interface Change {
  items: ItemChange[];
  proration_behavior: ProrationBehavior;
  /** Unix seconds: the time that prorations count from. */
  proration_date: number;
  trial_end?: number | undefined;
}

export interface ChangePlan {
  after: Subscription;
  prorations: NewLine[];
  /** A new period begins now and is invoiced now: the interval changes, or a trial begins, which costs nothing. */
  startsPeriod: boolean;
}

/**
 * What a change of a subscription leads to, with nothing done yet: preview and update both use it, so that they agree.
 * https://docs.stripe.com/billing/subscriptions/prorations
 *
 * @throws 501 for prorations that would wait for the next invoice
 */
export async function planChange(
  tx: Transaction,
  before: Subscription,
  { items, proration_behavior, proration_date, trial_end }: Change,
): Promise<ChangePlan> {
  const { now } = tx;
  const isTrialing = before.status === "trialing";
  const changed = changeItems(before, items, now);
  const after = { ...before, items: withItems(before, changed) };
  const startsPeriod = trial_end === undefined && !isTrialing && mustStartPeriod(before, after);
  const renewed = startsPeriod ? billingPeriod(recurringOf(after), now, now) : periodOf(after);
  const period =
    trial_end === undefined ? renewed : { current_period_start: now, current_period_end: trial_end };
  const prorations =
    isTrialing || proration_behavior === "none"
      ? []
      : await prorationLines(tx, before, after, proration_date, startsPeriod || trial_end !== undefined);
  if (prorations.length > 0 && proration_behavior === "create_prorations" && !startsPeriod)
    throw notInSandbox("proration_behavior=create_prorations");
  const withPeriod = changed.map((item) => ({ ...item, ...period }));
  return {
    after: {
      ...after,
      items: withItems(before, withPeriod),
      ...(startsPeriod && { billing_cycle_anchor: now }),
      ...(trial_end !== undefined && {
        billing_cycle_anchor: trial_end,
        status: "trialing",
        trial_start: isTrialing ? before.trial_start : now,
        trial_end,
      }),
      ...(before.cancel_at_period_end && { cancel_at: period.current_period_end }),
    },
    prorations,
    startsPeriod: startsPeriod || (trial_end !== undefined && !isTrialing),
  };
}

/** Another interval, or from free to paid: https://docs.stripe.com/billing/subscriptions/billing-cycle#change-billing-cycle */
function mustStartPeriod(before: Subscription, after: Subscription): boolean {
  const [old, next] = [before.items.data[0], after.items.data[0]];
  if (!old || !next) return false;
  const priceOf = ({ items }: Subscription) => items.data.reduce((sum, item) => sum + amountOf(item), 0);
  return intervalOf(old.price) !== intervalOf(next.price) || (priceOf(before) === 0 && priceOf(after) > 0);
}

function amountOf({ price, quantity = 1 }: Item): number {
  return (price.unit_amount ?? 0) * quantity;
}

/** @param isRestarting all unused time is credited, and nothing but whole periods is charged */
async function prorationLines(
  tx: Transaction,
  before: Subscription,
  after: Subscription,
  date: number,
  isRestarting: boolean,
): Promise<NewLine[]> {
  const { current_period_start: start, current_period_end: end } = periodOf(before);
  const at = Math.min(Math.max(date, start), end);
  const isKept = (item: Item, others: Item[]) =>
    !isRestarting &&
    others.some(
      ({ id, price, quantity }) => id === item.id && price.id === item.price.id && quantity === item.quantity,
    );
  const discount = await discountOf(tx, before);
  const debits = await lastDebits(tx, before);
  const lines: NewLine[] = [];
  for (const item of before.items.data) {
    const whole = { amount: amountOf(item), start, end };
    const debit = debits ? debits.get(item.id) : whole;
    if (!debit || isKept(item, after.items.data)) continue;
    lines.push(await prorationLine(tx, item, { at, end, kind: "Unused", amount: 0 - prorate(debit, at) }));
  }
  for (const item of isRestarting ? [] : after.items.data) {
    if (isKept(item, before.items.data)) continue;
    const net = amountOf(item) - amountOff(discount, amountOf(item));
    const amount = prorate({ amount: net, start, end }, at);
    lines.push(await prorationLine(tx, item, { at, end, kind: "Remaining", amount }));
  }
  return lines;
}

async function prorationLine(
  tx: Transaction,
  { id, price, quantity = 1 }: Item,
  { at, end, kind, amount }: { at: number; end: number; kind: "Remaining" | "Unused"; amount: number },
): Promise<NewLine> {
  const name = await productName(tx, price);
  const what = quantity === 1 ? name : `${quantity} × ${name}`;
  return {
    amount,
    price,
    quantity,
    description: `${kind} time on ${what} after ${formatDay(at)}`,
    period: { start: at, end },
    proration: true,
    subscription_item: id,
  };
}

/** The charge for an item from `start` until `end` (unix seconds); `amount` in minor units, net of discounts. */
interface Debit {
  amount: number;
  start: number;
  end: number;
}

/**
 * The part of an amount for the time from `at` until the end of its period, to the second, in whole minor units.
 * https://docs.stripe.com/billing/subscriptions/prorations
 */
export function prorate({ amount, start, end }: Debit, at: number): number {
  if (end <= start) return 0;
  const left = Math.min(Math.max(end - at, 0), end - start);
  return Math.round((amount * left) / (end - start));
}

/**
 * What was billed last for each item, by its id, paid or not, of which unused time is a share, as in Stripe's flexible billing
 * mode; undefined if the subscription has no invoice at all. What a pending update would cost has not been billed yet.
 * https://docs.stripe.com/billing/subscriptions/billing-mode/compare
 */
async function lastDebits(tx: Transaction, subscription: Subscription) {
  const pending = subscription.pending_update ? subscription.latest_invoice : null;
  const billed = (await invoicesOf(tx, subscription.id))
    .filter(({ id, status }) => status !== "void" && id !== pending)
    .reverse();
  if (billed.length === 0) return undefined;
  const debits = new Map<string, Debit>();
  const { current_period_end: end } = periodOf(subscription);
  for (const { amount, discount_amounts, period, parent } of billed.flatMap(({ lines }) => lines.data)) {
    const item = parent?.subscription_item_details?.subscription_item;
    if (!item || amount < 0 || period.end !== end) continue;
    const net = (discount_amounts ?? []).reduce((left, discount) => left - discount.amount, amount);
    debits.set(item, { amount: net, ...period });
  }
  return debits;
}

/** `1 Jan 2027`, as Stripe writes days on invoices. */
function formatDay(time: number): string {
  const parts = { day: "numeric", month: "short", year: "numeric" } as const;
  return new Date(time * 1000).toLocaleDateString("en-GB", { ...parts, timeZone: "UTC" });
}
