import type { ReactNode } from "react";
import { isForever } from "../entitlements/expiry.ts";
import { PLAN_NAMES } from "../entitlements/tiers.ts";
import { Focused } from "../ui/focused.tsx";
import { FormattedEnd } from "../ui/formatted-date.tsx";
import { Notice } from "../ui/notice.tsx";
import { useRoot } from "../ui/site.ts";
import type { UnusedCode } from "./redemption.ts";

/**
 * Why a good code was left unused, and what it would do. Focused when it appears, with and without scripts.
 *
 * @param children the form that applies it anyway, for a code that would take effect later
 */
export function UnusedNotice({ unused, children }: { unused: UnusedCode; children: ReactNode }) {
  return (
    <Focused>
      <Notice tone="plain">
        <div className="grid gap-3 justify-items-start">
          <p className="font-semibold">{`${unused.code} wasn’t applied.`}</p>
          {unused.follows ? <FollowsExplanation {...unused} /> : <AddsNothingExplanation {...unused} />}
          {unused.follows && children}
        </div>
      </Notice>
    </Focused>
  );
}

export function FollowsExplanation({ tier, expiresAt, held }: Omit<UnusedCode, "code" | "follows">) {
  return (
    <p>
      You have {PLAN_NAMES[held.tier]} until <FormattedEnd instant={held.expiresAt} />. This code gives you{" "}
      {PLAN_NAMES[tier]}. Its time starts today, but you’d only use it from{" "}
      <FormattedEnd instant={held.expiresAt} /> <Until instant={expiresAt} word="to" />.
    </p>
  );
}

export function AddsNothingExplanation({ tier, expiresAt, held }: Omit<UnusedCode, "code" | "follows">) {
  const { year } = useRoot();
  if (held.renews) {
    return (
      <p>
        You already pay for {PLAN_NAMES[held.tier]}. A code doesn’t change what you pay, so this one adds
        nothing while your plan renews. If you cancel, you can still use it.
      </p>
    );
  }
  const addsSome = expiresAt > held.expiresAt && !isForever(held.expiresAt, year);
  return (
    <p>
      You already have {PLAN_NAMES[held.tier]} <Until instant={held.expiresAt} />. This code gives you{" "}
      {PLAN_NAMES[tier]} <Until instant={expiresAt} />,{" "}
      {addsSome ? "so it would add less than a day. You can still use it later." : "so it would add nothing."}
    </p>
  );
}

export function Until({ instant, word = "until" }: { instant: Date; word?: "until" | "to" }) {
  if (isForever(instant, useRoot().year)) return "forever";
  return (
    <>
      {word} <FormattedEnd instant={instant} />
    </>
  );
}
