import type { SubmissionResult } from "@conform-to/react";
import type { Tier } from "../entitlements/tiers.ts";
import type { UnusedCode } from "./redeem.server.ts";
import { PROMO_MESSAGES } from "./rules.ts";

/** What the action of a page with a promo form answers. */
export interface PromoAnswer {
  result: SubmissionResult<string[]>;
  redeemed: { code: string; tier: Tier; expiresAt: Date; isRepeat: boolean } | null;
  /** A good code that was left unused because of what the user already has. */
  unused: UnusedCode | null;
}

/** The answer when the network failed. */
export const PROMO_NOT_SENT: PromoAnswer = {
  result: { status: "error", error: { code: [PROMO_MESSAGES.failed] } },
  redeemed: null,
  unused: null,
};
