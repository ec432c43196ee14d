import type { SubmissionResult } from "@conform-to/react";
import { z } from "zod";
import { TIERS, type Tier } from "../entitlements/tiers.ts";
import type { CodeAnswer } from "./checked-code.ts";
import type { UnusedCode } from "./redemption.ts";
import { PROMO_INPUT_MAX_LENGTH, PROMO_MESSAGES } from "./rules.ts";

export const promoForm = z.object({
  code: z
    .string({ error: PROMO_MESSAGES.empty })
    .max(PROMO_INPUT_MAX_LENGTH, { error: PROMO_MESSAGES.invalid, abort: true })
    .trim()
    .min(1, PROMO_MESSAGES.empty),
  /** An unknown tier counts as the default (spec §5). */
  tier: z.enum(TIERS).catch("basic").default("basic"),
  /** Whether the code is only to be looked at. */
  intent: z.enum(["apply", "check"]).catch("apply").default("apply"),
  /** The later start the user has agreed to: see `canApply` in rules.ts. */
  confirmed: z.string().max(100).optional().catch(undefined),
});

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
