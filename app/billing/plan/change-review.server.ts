import type Stripe from "stripe";
import { loadFeatureStates } from "../../entitlements/features.server.ts";
import { addedDays } from "../../entitlements/features.ts";
import type { Tier } from "../../entitlements/tiers.ts";
import type { App } from "../../http/context.server.ts";
import { formatDue } from "../../ui/format-day.ts";
import { listPlansOnSale } from "../catalogue.server.ts";
import type { Plan, Price } from "../plans.ts";
import { changeLaterTerms, changeNowTerms } from "../renewal-terms.ts";
import { isInvalidRequest, type StripeApp } from "../stripe.server.ts";
import { taxOf } from "../sync/rows.ts";
import { readPlanInForce } from "./plan-overview.server.ts";
import type { PlanOverview } from "./plan-overview.ts";
import { changeHappens } from "./rules.ts";
import { itemOf, prorationSeconds } from "./stripe-plan.server.ts";

const REVIEW_SECONDS = 10 * 60;

/** Amounts are in minor units. */
export interface ChangeOption {
  price: Price;
  planName: string;
  tier: Tier;
  happens: "now" | "at_period_end";
}

export type ChangeReview = Awaited<ReturnType<typeof reviewChange>>;

/** The current plan and the prices it can change to: on sale, in its currency, of another plan or period. */
export async function findSubscribedPlan(app: Pick<App, "db" | "payments" | "config">, userId: string) {
  const [plan, plans] = await Promise.all([readPlanInForce(app.db, userId), listPlansOnSale(app)]);
  return plan && { plan, options: optionsBeside(plan, plans) };
}

function optionsBeside(current: PlanOverview, plans: readonly Plan[]): ChangeOption[] {
  const isOther = (plan: Plan, { currency, interval }: Price) =>
    currency === current.price.currency &&
    !(plan.id === current.productId && interval === current.price.interval);
  const options: ChangeOption[] = plans.flatMap((plan) =>
    plan.prices
      .filter((price) => isOther(plan, price))
      .map((price) => ({
        price,
        planName: plan.name,
        tier: plan.tier,
        happens: current.daysGiven ? "at_period_end" : changeHappens(current.price, price),
      })),
  );
  // Those that start right away first.
  return options.toSorted((one, other) => Number(other.happens === "now") - Number(one.happens === "now"));
}

/**
 * By Stripe's preview. @param at the same moment gives the same amounts. @throws Stripe's errors
 * @returns `startsAt` of an immediate change is the moment it was calculated for
 */
export async function reviewChange(
  { stripe, db }: Pick<StripeApp, "stripe" | "db">,
  plan: PlanOverview,
  option: ChangeOption,
  at: Date,
  timeZone: string | null,
) {
  const { plusTax } = plan;
  const features = await loadFeatureStates(db);
  const inWords = (tier: Tier, end: Date) => formatDue(end, timeZone) + addedDays(tier, features, end);
  if (option.happens === "at_period_end") {
    const startsAt = plan.currentPeriodEnd;
    const terms = changeLaterTerms(option.price, inWords(plan.tier, startsAt), plusTax);
    const next = await nextAmountAfter(stripe, plan, option);
    return { ...option, due: 0, tax: 0, taken: null, next, nextAt: startsAt, startsAt, terms };
  }
  const { subscriptionId } = plan;
  const item = itemOf(await stripe.subscriptions.retrieve(subscriptionId));
  const preview = await stripe.invoices.createPreview({
    subscription: subscriptionId,
    subscription_details: {
      items: [{ id: item.id, price: option.price.id }],
      proration_behavior: "always_invoice",
      proration_date: prorationSeconds(item, at),
    },
  });
  const due = preview.amount_due > 0 ? preview.amount_due : Math.min(preview.total, 0);
  const tax = due > 0 ? Math.max(taxOf(preview), 0) : 0;
  const nextAt = nextPaymentAfter(plan, preview);
  const terms = changeNowTerms(option.price, { due, tax }, inWords(option.tier, nextAt), plusTax);
  const next = await nextAmountAfter(stripe, plan, option, item.id);
  const taken = whatIsTaken(preview);
  return { ...option, due, tax, taken, next, nextAt, startsAt: at, terms };
}

/** What is due today, as the price of the new plan's time less what is left of the old; `null`: it is made up of more, such as tax. */
function whatIsTaken({ lines, amount_due }: Stripe.Invoice) {
  const price = sumOf(lines.data.filter(({ amount }) => amount > 0));
  const left = -sumOf(lines.data.filter(({ amount }) => amount < 0));
  return amount_due > 0 && left > 0 && price - left === amount_due ? { price, left } : null;
}

function sumOf(lines: readonly Stripe.InvoiceLineItem[]): number {
  return lines.reduce((sum, { amount }) => sum + amount, 0);
}

/** The first full payment after the change; with tax, by Stripe's preview without prorations. */
async function nextAmountAfter(
  stripe: Stripe,
  { subscriptionId, plusTax }: PlanOverview,
  { price }: ChangeOption,
  itemId?: string,
) {
  const listed = { amount: price.unitAmount, tax: 0 };
  if (!plusTax) return listed;
  const id = itemId ?? itemOf(await stripe.subscriptions.retrieve(subscriptionId)).id;
  const items = [{ id, price: price.id }];
  const preview = await stripe.invoices
    .createPreview({
      subscription: subscriptionId,
      subscription_details: { items, proration_behavior: "none" },
    })
    .catch((error: unknown) => {
      // A plan that is to end has no next invoice before it is changed.
      if (!isInvalidRequest(error)) throw error;
      return null;
    });
  return preview ? { amount: preview.total, tax: taxOf(preview) } : listed;
}

/** A trial runs to its end; otherwise the new price is paid up to the end of the last line's period. */
function nextPaymentAfter({ trialEnd, currentPeriodEnd }: PlanOverview, preview: Stripe.Invoice): Date {
  if (trialEnd) return trialEnd;
  const ends = preview.lines.data.map(({ period }) => period.end * 1000);
  return ends.length > 0 ? new Date(Math.max(...ends)) : currentPeriodEnd;
}

/** `null`: invalid or too long ago. */
export function reviewedAt(sent: unknown, now: Date): Date | null {
  if (typeof sent !== "string" || !/^\d{1,12}$/.test(sent)) return null;
  const age = now.getTime() / 1000 - Number(sent);
  return age >= 0 && age <= REVIEW_SECONDS ? new Date(Number(sent) * 1000) : null;
}
