import type { SubmissionResult } from "@conform-to/dom";
import { data } from "react-router";
import type { HeldPlan } from "../entitlements/other-plans.ts";
import { PLAN_NAMES, type Tier } from "../entitlements/tiers.ts";
import { formatEnd } from "../ui/format-day.ts";
import { whyFailed } from "../ui/send-form.ts";
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

/** What a code would do for a user, if it were applied now. */
export type CodeEffect =
  /** They have applied it already. */
  | { kind: "repeat"; tier: Tier; expiresAt: Date }
  /** `held`: the plan in force until now, if any. */
  | { kind: "applies"; tier: Tier; expiresAt: Date; held: HeldPlan | null }
  | { kind: "follows" | "adds_nothing"; tier: Tier; expiresAt: Date; held: HeldPlan };

/** A good code, which was looked at and not used. */
export interface CheckedCode {
  code: string;
  /** `null`: the user chooses. */
  tier: Tier | null;
  /** How long it gives it; `null`: for ever. */
  months: number | null;
  /** `null`: it can always be redeemed. */
  redeemableUntil: Date | null;
  /** Whether it waits until the user has confirmed their address. */
  needsConfirmation: boolean;
  /** `null` for signed-out visitors. */
  effect: CodeEffect | null;
}

/** The answer about what was typed: which code and choice it is about, and what is known of it. */
export interface CodeAnswer {
  typed: string;
  chosen: Tier;
  /** `null`: it could not be checked, or not be used; then `message` says why. */
  checked: CheckedCode | null;
  message: string | null;
}

/** Whether a code is wrong, and not only unknown because it could not be checked. */
export function isRefused(answer: CodeAnswer | null): boolean {
  return answer?.message === PROMO_MESSAGES.invalid;
}

const MILLISECOND = 1;

/** What a code gives, to somebody who may not have an account: "CSV + Banking free for 3 months. Use it by May 1, 2027, 11:59 PM UTC." */
export function termsOfCode({ tier, months, redeemableUntil, needsConfirmation }: CheckedCode): string {
  const plan = tier ? PLAN_NAMES[tier] : "a plan of your choice";
  const length =
    months === null ? "free, with no end date" : `free for ${months} ${months === 1 ? "month" : "months"}`;
  return [
    `${plan} ${length}.`,
    // A code ends with the end of a day, which is the start of the next.
    redeemableUntil && `Use it by ${formatEnd(new Date(redeemableUntil.getTime() - MILLISECOND))}.`,
    needsConfirmation && "You confirm your email address before you use it.",
  ]
    .filter(Boolean)
    .join(" ");
}

/** What a page with a promo form answers when the server cannot be asked, beside what was typed. */
export function promoUnsent(error: unknown) {
  whyFailed(error);
  const result = {
    status: "error" as const,
    error: { code: [PROMO_MESSAGES.failed] },
  };
  return data<PromoAnswer>({ result, redeemed: null, unused: null, checked: null }, 503);
}
