import { isTier, type Tier } from "../entitlements/tiers.ts";

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
