import { data } from "react-router";
import { PLAN_NAMES } from "../entitlements/tiers.ts";
import type { Entitlement } from "../entitlements/waiting-grants.ts";
import { formatEnd } from "../ui/format-day.ts";
import type { FormAnswer } from "../ui/route-form.ts";
import { whyFailed } from "../ui/send-form.ts";
import type { answerAbout } from "./check.server.ts";
import type { Redemption } from "./redeem.server.ts";
import { PROMO_MESSAGES } from "./rules.ts";

export type CodeAnswer = Awaited<ReturnType<typeof answerAbout>>;
export type CheckedCode = NonNullable<CodeAnswer["checked"]>;
export type CodeEffect = NonNullable<CheckedCode["effect"]>;
/** The plan the user has, `behind`, gives as much, now or for as long: see `PromoEffect`. */
export type CoveredEffect = Extract<CodeEffect, { behind: Entitlement }>;
export type UnusedCode = Extract<Redemption, { unused: unknown }>["unused"];
export type RedeemedCode = Omit<Extract<Redemption, { ok: true }>, "ok">;

export interface PromoAnswer {
  result: FormAnswer;
  redeemed?: RedeemedCode;
  unused?: UnusedCode;
  checked?: CodeAnswer;
}

/** Known to be wrong, not merely unchecked. */
export function isKnownInvalid(answer: CodeAnswer | null): boolean {
  return answer?.message === PROMO_MESSAGES.invalid;
}

/** "CSV + Banking free for 3 months. Use it by May 1, 2027, 11:59 PM UTC." */
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

export function promoUnsent(error: unknown) {
  whyFailed(error);
  const result = { status: "error" as const, error: { code: [PROMO_MESSAGES.failed] } };
  return data<PromoAnswer>({ result }, 503);
}
