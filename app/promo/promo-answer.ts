import type { SubmissionResult } from "@conform-to/dom";
import { data } from "react-router";
import { PLAN_NAMES, type Tier } from "../entitlements/tiers.ts";
import type { Entitlement } from "../entitlements/waiting-grants.ts";
import type { Failure } from "../http/errors.ts";
import { formatEnd } from "../ui/format-day.ts";
import { whyFailed } from "../ui/send-form.ts";
import { PROMO_MESSAGES } from "./rules.ts";

/** The outcome for a code: its grant; why it was left unused; or a failure, 400 for a wrong code. */
export type Redemption = ({ ok: true } & RedeemedCode) | { ok: false; unused: UnusedCode } | Failure;

/** A valid code that was left unused because of the user's plan. */
export interface UnusedCode {
  code: string;
  /** The tier it would give, until `expiresAt` if it were used now. */
  tier: Tier;
  expiresAt: Date;
  /** The plan that it would have to wait for. */
  behind: Entitlement;
  /** Whether it would take effect after `behind`; otherwise it would add nothing, or less than a day. */
  follows: boolean;
}

/** A code redeemed now, or earlier (`isRepeat`). */
export interface RedeemedCode {
  code: string;
  tier: Tier;
  expiresAt: Date;
  isRepeat: boolean;
}

export interface PromoAnswer {
  result: SubmissionResult<string[]>;
  redeemed?: RedeemedCode;
  unused?: UnusedCode;
  /** What a code would do that was only checked. */
  checked?: CodeAnswer;
}

/** What a code would do for a user, if it were applied now. */
export type CodeEffect =
  | { kind: "repeat"; tier: Tier; expiresAt: Date }
  /** `current`: the plan in force until now, if any. */
  | { kind: "applies"; tier: Tier; expiresAt: Date; current: Entitlement | null }
  | { kind: "follows" | "adds_nothing"; tier: Tier; expiresAt: Date; behind: Entitlement };

export interface CheckedCode {
  code: string;
  /** `null`: the user chooses. */
  tier: Tier | null;
  /** For how many months; `null`: forever. */
  months: number | null;
  /** `null`: no end. */
  redeemableUntil: Date | null;
  /** Whether the user must confirm their address first. */
  needsConfirmation: boolean;
  /** `null` for signed-out visitors. */
  effect: CodeEffect | null;
}

/** The answer about typed input: the code and tier it is about, and the result. */
export interface CodeAnswer {
  typed: string;
  chosen: Tier;
  /** `null`: it could not be checked or used; `message` says why. */
  checked: CheckedCode | null;
  message: string | null;
}

/** Whether a code is known to be wrong, not merely unchecked. */
export function isKnownInvalid(answer: CodeAnswer | null): boolean {
  return answer?.message === PROMO_MESSAGES.invalid;
}

/** What a code gives, also for visitors without an account: "CSV + Banking free for 3 months. Use it by May 1, 2027, 11:59 PM UTC." */
export function termsOfCode({ tier, months, redeemableUntil, needsConfirmation }: CheckedCode): string {
  const plan = tier ? PLAN_NAMES[tier] : "a plan of your choice";
  const length =
    months === null ? "free, with no end date" : `free for ${months} ${months === 1 ? "month" : "months"}`;
  return [
    `${plan} ${length}.`,
    // A code ends at the start of the day after its last.
    redeemableUntil && `Use it by ${formatEnd(new Date(redeemableUntil.getTime() - 1))}.`,
    needsConfirmation && "You confirm your email address before you use it.",
  ]
    .filter(Boolean)
    .join(" ");
}

/** The answer of a promo form when the server cannot be reached, beside what was typed. */
export function promoUnsent(error: unknown) {
  whyFailed(error);
  const result = { status: "error" as const, error: { code: [PROMO_MESSAGES.failed] } };
  return data<PromoAnswer>({ result }, 503);
}
