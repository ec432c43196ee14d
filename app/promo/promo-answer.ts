import type { SubmissionResult } from "@conform-to/dom";
import type { Tier } from "../entitlements/tiers.ts";
import type { CodeAnswer } from "./checked-code.ts";
import type { UnusedCode } from "./redemption.ts";

/** A code that was redeemed, now or earlier (`isRepeat`). */
export interface RedeemedCode {
  code: string;
  tier: Tier;
  expiresAt: Date;
  isRepeat: boolean;
}

/** The action data of a page with a promo form. */
export interface PromoAnswer {
  result: SubmissionResult<string[]>;
  redeemed: RedeemedCode | null;
  /** A valid code that was not used because of a plan the user has. */
  unused: UnusedCode | null;
  /** What a code would do that was only looked at. */
  checked: CodeAnswer | null;
}
