import { stripeDecimals } from "../config/currency.ts";
import type { Tier } from "../entitlements/tiers.ts";

export type BillingInterval = "month" | "year";

export interface Price {
  id: string;
  /** Minor units, as Stripe counts them: 4999 is $49.99, or ¥4,999. */
  unitAmount: number;
  currency: string;
  interval: BillingInterval;
}

export interface Plan {
  id: string;
  name: string;
  description: string | null;
  tier: Tier;
  prices: Price[];
}

export function periodsOf(plans: readonly Plan[]): BillingInterval[] {
  return (["year", "month"] as const).filter((interval) => plans.some((plan) => priceFor(plan, interval)));
}

export function priceFor({ prices }: Pick<Plan, "prices">, interval: BillingInterval): Price | undefined {
  return prices.find((price) => price.interval === interval);
}

/** "Save 17%" (spec §9), the best of all plans; "Save up to …" when they differ. */
export function savingLabel(plans: readonly Plan[]): string | null {
  const percents = plans.flatMap((plan) => {
    const [year, month] = [priceFor(plan, "year"), priceFor(plan, "month")];
    return year && month?.unitAmount ? [100 * (1 - year.unitAmount / (12 * month.unitAmount))] : [];
  });
  const best = Math.round(Math.max(0, ...percents));
  if (best === 0) return null;
  return percents.every((percent) => best - percent < 1) ? `Save ${best}%` : `Save up to ${best}%`;
}

export function isBillingInterval(value: unknown): value is BillingInterval {
  return value === "month" || value === "year";
}

/** The wording is fixed by spec §8. */
export const BILLING_MESSAGES = {
  signedOut: "You must be logged in to subscribe",
  checkoutFailed: "Failed to initiate checkout. Please try again.",
  plansFailed: "Failed to load subscription plans. Please try again later.",
  noPlans: "No subscription plans are currently available.",
} as const;

/** The plan page redirects admins to the dashboard (spec §6). */
export const ADMIN_HAS_NO_PLAN = "This is an admin account. Admins don’t need a plan.";

/** US-locale (spec §9) with the currency's decimals: $4.99, ¥500, KWD 5.120. @param minorUnits as Stripe counts them */
export function formatMoney(minorUnits: number, currency: string): string {
  const decimals = stripeDecimals(currency);
  const isWhole = minorUnits % roundTo(currency) === 0;
  return formatOf(currency, isWhole ? undefined : decimals).format(minorUnits / 10 ** decimals);
}

export function includingTax(tax: number, currency: string): string {
  return tax > 0 ? `, including ${formatMoney(tax, currency)} tax` : "";
}

export function parseAmount(typed: string, currency: string): number | null {
  const decimals = stripeDecimals(currency);
  const [, whole, part = ""] = /^\$?(\d{1,7})(?:\.(\d{1,3}))?$/.exec(typed.trim().replaceAll(",", "")) ?? [];
  return whole !== undefined && part.length <= decimals ? Number(whole + part.padEnd(decimals, "0")) : null;
}

/** Creating a format takes longer than rendering a plan. */
const formats = new Map<string, Intl.NumberFormat>();

function formatOf(currency: string, decimals?: number): Intl.NumberFormat {
  const key = `${currency} ${decimals}`;
  const known = formats.get(key);
  if (known) return known;
  const digits =
    decimals === undefined ? {} : { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  const format = new Intl.NumberFormat("en-US", { style: "currency", currency, ...digits });
  formats.set(key, format);
  return format;
}

/** The smallest amount people write, in Stripe's minor units: 1 for usd, 100 for isk. */
function roundTo(currency: string): number {
  const { maximumFractionDigits: written = 2 } = formatOf(currency).resolvedOptions();
  return 10 ** Math.max(stripeDecimals(currency) - written, 0);
}

/** For programs, such as schema.org's "29.99", without floating-point arithmetic. */
export function decimalAmount(minorUnits: number, currency: string): string {
  const decimals = stripeDecimals(currency);
  if (decimals === 0) return String(minorUnits);
  const digits = String(minorUnits).padStart(decimals + 1, "0");
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/** In minor units: a twelfth of a yearly price, rounded to the decimals of its currency. */
export function monthlyAmount({ interval, unitAmount, currency }: Omit<Price, "id">): number {
  const unit = roundTo(currency);
  return interval === "year" ? Math.round(unitAmount / 12 / unit) * unit : unitAmount;
}

/** "$29.99 a year" */
export function chargedAmount({ interval, unitAmount, currency }: Omit<Price, "id">): string {
  return `${formatMoney(unitAmount, currency)} a ${interval}`;
}

/** "$29.99 a year ($2.50 a month)" */
export function describePrice(price: Price): string {
  const monthly = `${formatMoney(monthlyAmount(price), price.currency)} a month`;
  return price.interval === "year" ? `${chargedAmount(price)} (${monthly})` : monthly;
}

export interface ActivePrice extends Price {
  plan: Omit<Plan, "prices">;
  createdAt: Date;
}

export interface SkippedPrice {
  id: string;
  plan: string;
  reason: string;
}

/** Per plan and period the newest price in the site's currency, so that no plan shows two. */
export function pricesOnSale(
  active: readonly ActivePrice[],
  currency: string,
): { plans: Plan[]; skipped: SkippedPrice[] } {
  const plans = new Map<string, Plan>();
  const skipped: SkippedPrice[] = [];
  for (const price of active) {
    const reason = skipReason(price, active, currency);
    if (reason) {
      skipped.push({ id: price.id, plan: price.plan.name, reason });
      continue;
    }
    const plan = plans.get(price.plan.id) ?? { ...price.plan, prices: [] };
    const { id, unitAmount, interval } = price;
    plan.prices.push({ id, unitAmount, currency, interval });
    plans.set(plan.id, plan);
  }
  return { plans: [...plans.values()], skipped };
}

function skipReason(price: ActivePrice, active: readonly ActivePrice[], currency: string): string | null {
  if (price.currency !== currency)
    return `is in ${price.currency}, and the site sells in ${currency} (CURRENCY)`;
  const newer = active.find(
    (other) =>
      other.plan.id === price.plan.id &&
      other.interval === price.interval &&
      other.currency === currency &&
      isNewer(other, price),
  );
  return newer ? `is replaced by ${newer.id}, a newer price of the same plan and period` : null;
}

/** Those created in the same second are ordered by id. */
function isNewer(one: ActivePrice, other: ActivePrice): boolean {
  const seconds = one.createdAt.getTime() - other.createdAt.getTime();
  return seconds === 0 ? one.id > other.id : seconds > 0;
}
