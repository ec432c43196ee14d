import type { HeldPlan } from "../entitlements/other-plans.ts";
import type { Tier } from "../entitlements/tiers.ts";

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
