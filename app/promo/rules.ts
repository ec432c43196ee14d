import { isForever } from "../entitlements/expiry.ts";
import { includesTier, isTier, type Tier } from "../entitlements/tiers.ts";
import type { Entitlement } from "../entitlements/waiting-grants.ts";
import { foldCode } from "../ui/typed-text.ts";
import type { promoCodes } from "./schema.ts";

type PromoCode = typeof promoCodes.$inferSelect;

/** What the operator decides when making a code. */
export type PromoTerms = Pick<
  PromoCode,
  | "tier"
  | "durationType"
  | "durationMonths"
  | "startsAt"
  | "expiresAt"
  | "maxUses"
  | "confirmedOnly"
  | "oncePerMailbox"
>;

/** What decides whether a code can be redeemed. */
export type Redeemability = Pick<PromoCode, "active" | "startsAt" | "expiresAt" | "maxUses" | "usedCount">;

export function describeDuration(terms: Pick<PromoTerms, "durationType" | "durationMonths">): string {
  const { durationType, durationMonths } = terms;
  if (durationType === "forever") return "forever";
  return durationMonths === 1 || durationMonths === null ? "1 month" : `${durationMonths} months`;
}

/** Fixed by spec §5, except `unconfirmed`. */
export const PROMO_MESSAGES = {
  empty: "Please enter a promo code",
  invalid: "Invalid or expired promo code",
  signedOut: "User must be logged in to apply a promo code",
  gone: "Invalid promo code",
  unconfirmed:
    "This code is for confirmed email addresses. Open the link we emailed you to confirm yours, then apply the code again.",
  failed: "Failed to apply promo code. Please try again.",
} as const;

/** In UTF-16 code units. */
export const PROMO_CODE_MAX_LENGTH = 64;

/** In UTF-16 units before normalizing: four can become one character, and much longer runs could take seconds. */
export const PROMO_INPUT_MAX_LENGTH = 4 * PROMO_CODE_MAX_LENGTH;

/** Folded, in upper case (spec §3), and normalized again, because upper-casing can decompose a letter. */
export function normalizePromoCode(input: string): string {
  if (input.length > PROMO_INPUT_MAX_LENGTH) return input.slice(0, PROMO_INPUT_MAX_LENGTH + 1);
  return foldCode(input).toUpperCase().normalize("NFKC");
}

/** Spec §4: expired, or usedCount has reached maxUses. */
export function isRedeemable(promo: Redeemability, now: Date): boolean {
  return stateOfPromoCode(promo, now) === "active";
}

/** What the operator did comes first, then what cannot change any more. */
export type PromoCodeState = "paused" | "ended" | "used up" | "not yet" | "active";

export function stateOfPromoCode(
  { active, startsAt, expiresAt, maxUses, usedCount }: Redeemability,
  now: Date,
): PromoCodeState {
  if (!active) return "paused";
  if (expiresAt && expiresAt <= now) return "ended";
  if (maxUses !== null && usedCount >= maxUses) return "used up";
  return startsAt && startsAt > now ? "not yet" : "active";
}

/** A promo's own tier overrides the choice; the choice defaults to basic (spec §5). */
export function tierOfRedemption(promo: Pick<PromoCode, "tier">, chosen: unknown): Tier {
  return promo.tier ?? (isTier(chosen) ? chosen : "basic");
}

/**
 * - `applies`: a higher tier, or the same for longer
 * - `follows`: a lower tier, only once `behind` ends
 * - `adds_nothing`: `behind` gives as much for as long, or for less than a day less
 */
export type PromoEffect = { kind: "applies" } | { kind: "follows" | "adds_nothing"; behind: Entitlement };

/** In milliseconds: for less, the code is kept. */
const LEAST_GAIN = 24 * 60 * 60 * 1000;

/** Of a grant of `tier` until `expiresAt`, made at `now` (decision 0031). */
export function effectOfGrant(
  { tier, expiresAt }: { tier: Tier; expiresAt: Date },
  plans: readonly Entitlement[],
  now: Date,
): PromoEffect {
  const endOf = (plan: Entitlement) =>
    plan.renews || isForever(plan.expiresAt, now.getUTCFullYear())
      ? Number.POSITIVE_INFINITY
      : plan.expiresAt.getTime();
  const covering = plans.filter((plan) => includesTier(plan.tier, tier));
  const last = covering.reduce<Entitlement | null>(
    (longest, plan) => (longest && endOf(longest) >= endOf(plan) ? longest : plan),
    null,
  );
  if (!last) return { kind: "applies" };
  if (expiresAt.getTime() - endOf(last) < LEAST_GAIN) return { kind: "adds_nothing", behind: last };
  const hasHigherTier = covering.some((plan) => plan.tier !== tier);
  return hasHigherTier ? { kind: "follows", behind: last } : { kind: "applies" };
}

/** A later start needs the user's agreement to exactly that start, as `startAfter` formats it. */
export function canApply(effect: PromoEffect, confirmed: string | undefined): boolean {
  if (effect.kind === "follows") return confirmed === startAfter(effect.behind);
  return effect.kind === "applies";
}

export function startAfter({ expiresAt }: Pick<Entitlement, "expiresAt">): string {
  return expiresAt.toISOString();
}
