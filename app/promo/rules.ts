import { includesTier, isTier, type Tier } from "../entitlements/tiers.ts";

/** What the rules need to know of a promo code (spec §3). */
export interface PromoCode {
  code: string;
  tier: Tier | null;
  expiresAt: Date | null;
  maxUses: number | null;
  usedCount: number;
  active: boolean;
}

/** The messages of spec §5, to the letter. */
export const PROMO_MESSAGES = {
  empty: "Please enter a promo code",
  invalid: "Invalid or expired promo code",
  signedOut: "User must be logged in to apply a promo code",
  gone: "Invalid promo code",
  failed: "Failed to apply promo code. Please try again.",
} as const;

/** Longer than any code the operator can make, short enough to print back. */
export const PROMO_CODE_MAX_LENGTH = 64;

/**
 * What may be typed for a code, in UTF-16: four of it can become one character of a code, and some blanks are forgiven.
 * Putting in order what is longer could take seconds (Unicode Annex 15 sorts each run of marks).
 */
export const LONGEST_PROMO_INPUT = 4 * PROMO_CODE_MAX_LENGTH;

/**
 * The code as it is stored: what looks the same on screen is the same code (NFKC), in upper case (spec §3).
 * Upper case can take a letter apart that NFKC puts together, hence the second time. What is too long to
 * be one stays too long.
 */
export function normalisePromoCode(input: string): string {
  if (input.length > LONGEST_PROMO_INPUT) return input.slice(0, LONGEST_PROMO_INPUT + 1);
  return input.normalize("NFKC").toUpperCase().normalize("NFKC").trim();
}

/** Whether the code can be redeemed at `now` (spec §4: expired, or usedCount has reached maxUses). */
export function isRedeemable(promo: PromoCode, now: Date): boolean {
  if (!promo.active) return false;
  if (promo.expiresAt && promo.expiresAt <= now) return false;
  return promo.maxUses === null || promo.usedCount < promo.maxUses;
}

/** A promo's own tier overrides the choice; the choice defaults to basic (spec §5). */
export function tierOfRedemption(promo: Pick<PromoCode, "tier">, chosen: unknown): Tier {
  return promo.tier ?? (isTier(chosen) ? chosen : "basic");
}

/** Something a user holds at the moment; what renews has no end that we know. */
export interface HeldPlan {
  tier: Tier;
  source: "promo" | "admin" | "paid";
  expiresAt: Date;
  renews: boolean;
}

/**
 * What a code would do for a user:
 * - `applies`: it gives them more, or the same for longer
 * - `follows`: it gives less than they have now, and would come into force only when `held` ends
 * - `adds_nothing`: `held` gives as much for at least as long, so it would never come into force
 */
export type PromoEffect =
  | { kind: "applies" }
  | { kind: "follows"; held: HeldPlan }
  | { kind: "adds_nothing"; held: HeldPlan };

/** What a grant of `tier` until `expiresAt` would do for somebody who holds `plans` (decision 0031). */
export function effectOfGrant(
  { tier, expiresAt }: { tier: Tier; expiresAt: Date },
  plans: readonly HeldPlan[],
): PromoEffect {
  const covering = plans.filter((plan) => includesTier(plan.tier, tier));
  const [held] = covering.toSorted((a, b) => endOf(b) - endOf(a));
  if (!held) return { kind: "applies" };
  if (endOf(held) >= expiresAt.getTime()) return { kind: "adds_nothing", held };
  const hasMoreNow = covering.some((plan) => plan.tier !== tier);
  return hasMoreNow ? { kind: "follows", held } : { kind: "applies" };
}

function endOf({ renews, expiresAt }: HeldPlan): number {
  return renews ? Number.POSITIVE_INFINITY : expiresAt.getTime();
}

/**
 * Whether the code is to be used up for this effect. One that comes into force later needs a yes to exactly that: when
 * the end of what is held has moved since the question was asked, it is asked again.
 *
 * @param confirmed the start somebody has agreed to, as `startOf` writes it
 */
export function isUseful(effect: PromoEffect, confirmed: string | undefined): boolean {
  if (effect.kind === "follows") return confirmed === startOf(effect.held);
  return effect.kind === "applies";
}

/** When something follows what is held, as forms carry it. */
export function startOf({ expiresAt }: Pick<HeldPlan, "expiresAt">): string {
  return expiresAt.toISOString();
}
