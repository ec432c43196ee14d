import { eq } from "drizzle-orm";
import type Stripe from "stripe";
import type { Tier } from "../../entitlements/tiers.ts";
import type { App } from "../../http/context.server.ts";
import { listPlansOnSale } from "../catalogue.server.ts";
import { findOpenSubscription } from "../open-subscription.server.ts";
import type { Plan, Price } from "../plans.ts";
import { changeLaterTerms, changeNowTerms } from "../renewal-terms.ts";
import { prices, products, type stripeSubscriptions } from "../schema.ts";
import { changeHappens } from "./rules.ts";
import { prorationSeconds } from "./stripe-plan.server.ts";

/** How long a review may stand before it is calculated anew, in seconds. */
const REVIEW_SECONDS = 10 * 60;

/** What a customer could change to, and how. Amounts are in minor units. */
export interface ChangeOption {
  price: Price;
  planName: string;
  tier: Tier;
  happens: "now" | "at_period_end";
}

/** What a change does, as Stripe calculates it. */
export interface ChangeReview extends ChangeOption {
  /** Charged today; negative: credited to later payments. */
  due: number;
  nextAt: Date;
  /** From when on the change counts; for one at once, the moment it was calculated for. */
  startsAt: Date;
  terms: string;
}

/** The plan somebody has, and what is on sale beside it. */
export interface SubscribedPlan {
  subscription: typeof stripeSubscriptions.$inferSelect;
  name: string;
  price: Price;
  options: ChangeOption[];
}

/**
 * The user's open subscription and the prices it can be changed to: those on sale, in its currency, of another plan or period.
 * A subscription that is not paid for can change nothing before it is.
 *
 * @returns `null` without an open subscription
 */
export async function findSubscribedPlan(
  app: Pick<App, "db" | "payments" | "config">,
  userId: string,
): Promise<SubscribedPlan | null> {
  const subscription = await findOpenSubscription(app.db, userId);
  if (!subscription) return null;
  const [[current], plans] = await Promise.all([
    app.db
      .select({
        name: products.name,
        id: prices.id,
        productId: prices.productId,
        unitAmount: prices.unitAmount,
        currency: prices.currency,
        interval: prices.interval,
      })
      .from(prices)
      .innerJoin(products, eq(products.id, prices.productId))
      .where(eq(prices.id, subscription.priceId)),
    listPlansOnSale(app),
  ]);
  if (!current) return null;
  const { name, productId, ...price } = current;
  return { subscription, name, price, options: optionsBeside({ ...price, productId }, plans) };
}

function optionsBeside(current: Price & { productId: string }, plans: readonly Plan[]): ChangeOption[] {
  return plans.flatMap((plan) =>
    plan.prices
      .filter(
        (price) =>
          price.currency === current.currency &&
          !(plan.id === current.productId && price.interval === current.interval),
      )
      .map((price) => ({
        price,
        planName: plan.name,
        tier: plan.tier,
        happens: changeHappens(current, price),
      })),
  );
}

/**
 * What a change costs today and next, by Stripe's own preview.
 *
 * @param at the moment it is calculated for: the same moment gives the same amounts
 * @param timeZone in which the terms name their days
 * @throws Stripe's errors
 */
export async function reviewChange(
  stripe: Stripe,
  { subscription }: Pick<SubscribedPlan, "subscription">,
  option: ChangeOption,
  at: Date,
  timeZone: string | null,
): Promise<ChangeReview> {
  if (option.happens === "at_period_end") {
    const startsAt = subscription.currentPeriodEnd;
    const terms = changeLaterTerms(option.price, startsAt, timeZone);
    return { ...option, due: 0, nextAt: startsAt, startsAt, terms };
  }
  const [item] = (await stripe.subscriptions.retrieve(subscription.id)).items.data;
  if (!item) throw new Error(`subscription ${subscription.id} has no item`);
  const preview = await stripe.invoices.createPreview({
    subscription: subscription.id,
    subscription_details: {
      items: [{ id: item.id, price: option.price.id }],
      proration_behavior: "always_invoice",
      proration_date: prorationSeconds(item, at),
    },
  });
  const due = preview.amount_due > 0 ? preview.amount_due : Math.min(preview.total, 0);
  const nextAt = nextPaymentAfter(subscription, preview);
  const terms = changeNowTerms(option.price, due, nextAt, timeZone);
  return { ...option, due, nextAt, startsAt: at, terms };
}

/** A trial goes on to its end; otherwise the new price is paid for to the end of the last line's period. */
function nextPaymentAfter(
  { status, trialEnd, currentPeriodEnd }: SubscribedPlan["subscription"],
  preview: Stripe.Invoice,
): Date {
  if (status === "trialing" && trialEnd) return trialEnd;
  const ends = preview.lines.data.map(({ period }) => period.end * 1000);
  return ends.length > 0 ? new Date(Math.max(...ends)) : currentPeriodEnd;
}

/** The moment a form says its review was calculated for; `null` when it is no such moment, or too long ago. */
export function reviewedAt(sent: unknown, now: Date): Date | null {
  if (typeof sent !== "string" || !/^\d{1,12}$/.test(sent)) return null;
  const age = now.getTime() / 1000 - Number(sent);
  return age >= 0 && age <= REVIEW_SECONDS ? new Date(Number(sent) * 1000) : null;
}
