import type { SubmissionResult } from "@conform-to/react";
import type { UnusedCode } from "./redeem.server.ts";
import type { RedeemedCode } from "./redeemed-notice.tsx";
import { PROMO_MESSAGES } from "./rules.ts";

/** The action data of a page with a promo form. */
export interface PromoAnswer {
  result: SubmissionResult<string[]>;
  redeemed: RedeemedCode | null;
  /** A valid code that was not used because of a plan the user has. */
  unused: UnusedCode | null;
}

/** The answer when the network failed. */
export const PROMO_NOT_SENT: PromoAnswer = {
  result: { status: "error", error: { code: [PROMO_MESSAGES.failed] } },
  redeemed: null,
  unused: null,
};
