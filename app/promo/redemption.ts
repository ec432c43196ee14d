import type { HeldPlan } from "../entitlements/other-plans.ts";
import type { Tier } from "../entitlements/tiers.ts";
import { PROMO_MESSAGES } from "./rules.ts";

export type Redemption =
  | { ok: true; tier: Tier; code: string; expiresAt: Date; isRepeat: boolean }
  | { ok: false; message: string }
  | { ok: false; unused: UnusedCode };

/** A valid code that was not used because of a plan the user has. */
export interface UnusedCode {
  code: string;
  /** The tier it would give, until `expiresAt` if it were used now. */
  tier: Tier;
  expiresAt: Date;
  /** The plan it would have to wait for. */
  held: HeldPlan;
  /** Whether it would take effect after `held`; otherwise it would add nothing, or less than a day. */
  follows: boolean;
}

/** The grant of an earlier redemption, as it was read. */
export interface EarlierGrant {
  tier: Tier;
  expiresAt: Date | string;
  isLive: boolean;
}

/** The answer to redeeming a code again: what was given, or that it is invalid once the grant is no longer live. */
export function redemptionOf({ tier, expiresAt, isLive }: EarlierGrant, code: string): Redemption {
  if (!isLive) return { ok: false, message: PROMO_MESSAGES.invalid };
  return { ok: true, tier, code, expiresAt: new Date(expiresAt), isRepeat: true };
}
