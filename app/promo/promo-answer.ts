import type { SubmissionResult } from "@conform-to/dom";
import { data } from "react-router";
import { PLAN_NAMES, type Tier } from "../entitlements/tiers.ts";
import type { Entitlement } from "../entitlements/waiting-grants.ts";
import type { Failure } from "../http/errors.ts";
import { formatEnd } from "../ui/format-day.ts";
import { whyFailed } from "../ui/send-form.ts";
import { PROMO_MESSAGES } from "./rules.ts";

/** What became of a code: its grant; why it was left unused; or a failure, 400 for a wrong code. */
export type Redemption = ({ ok: true } & RedeemedCode) | { ok: false; unused: UnusedCode } | Failure;

/** A valid code that was not used because of a plan the user has. */
export interface UnusedCode {
  code: string;
  /** The tier it would give, until `expiresAt` if it were used now. */
  tier: Tier;
  expiresAt: Date;
  /** The plan it would have to wait for. */
  behind: Entitlement;
  /** Whether it would take effect after `behind`; otherwise it would add nothing, or less than a day. */
  follows: boolean;
}

/** A code that was redeemed, now or earlier (`isRepeat`). */
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
  /** What a code would do that was only looked at. */
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

/** What a code gives, to somebody who may not have an account: "CSV + Banking free for 3 months. Use it by May 1, 2027, 11:59 PM UTC." */
export function termsOfCode({ tier, months, redeemableUntil, needsConfirmation }: CheckedCode): string {
  const plan = tier ? PLAN_NAMES[tier] : "a plan of your choice";
  const length =
    months === null ? "free, with no end date" : `free for ${months} ${months === 1 ? "month" : "months"}`;
  return [
    `${plan} ${length}.`,
    // A code ends with the end of a day, which is the start of the next.
    redeemableUntil && `Use it by ${formatEnd(new Date(redeemableUntil.getTime() - 1))}.`,
    needsConfirmation && "You confirm your email address before you use it.",
  ]
    .filter(Boolean)
    .join(" ");
}

/** What a page with a promo form answers when the server cannot be asked, beside what was typed. */
export function promoUnsent(error: unknown) {
  whyFailed(error);
  const result = { status: "error" as const, error: { code: [PROMO_MESSAGES.failed] } };
  return data<PromoAnswer>({ result }, 503);
}
