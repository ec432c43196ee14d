import type { ReactNode } from "react";
import { isForever } from "../entitlements/expiry.ts";
import { PlanEnd, Until } from "../entitlements/subscription-facts.tsx";
import { PLAN_NAMES, type Tier } from "../entitlements/tiers.ts";
import type { Entitlement } from "../entitlements/waiting-grants.ts";
import { loginPath } from "../http/safe-path.ts";
import { Focused } from "../ui/focused.tsx";
import { FormattedEnd } from "../ui/formatted-date.tsx";
import { Notice } from "../ui/notice.tsx";
import { PageLink } from "../ui/page-link.tsx";
import { useRoot } from "../ui/site.ts";
import {
  type CheckedCode,
  type CodeAnswer,
  type CodeEffect,
  type CoveredEffect,
  isKnownInvalid,
  termsOfCode,
  type UnusedCode,
} from "./promo-answer.ts";

/** @param isSaid whether the page says that the code is good */
export function CodePreview({ answer, isSaid }: { answer: CodeAnswer; isSaid?: boolean | null }) {
  const { checked, message } = answer;
  if (!checked) return message && <Notice tone={isKnownInvalid(answer) ? "bad" : "plain"}>{message}</Notice>;
  if (!checked.effect) {
    const returnTo = `/subscription?${new URLSearchParams({ promo: answer.typed })}`;
    return (
      <Notice tone="plain">
        <p className="font-semibold">{checked.code} is good.</p>
        <p>
          It gives you {termsOfCode(checked)} <PageLink href={loginPath(returnTo, "promo")}>Log in</PageLink>{" "}
          to use it.
        </p>
      </Notice>
    );
  }
  return (
    <Notice tone={checked.effect.kind === "applies" ? "good" : "plain"}>
      <div className="grid gap-2">
        {!isSaid && (
          <p className="font-semibold">
            {checked.effect.kind === "repeat"
              ? `You’ve already applied ${checked.code}.`
              : `${checked.code} is good. You haven’t used it yet.`}
          </p>
        )}
        <Effect effect={checked.effect} />
        <Validity checked={checked} />
      </div>
    </Notice>
  );
}

function Effect({ effect }: { effect: CodeEffect }): ReactNode {
  const { tier, expiresAt } = effect;
  if (effect.kind === "repeat") {
    return (
      <p>
        It gives you {PLAN_NAMES[tier]} <Lasting tier={tier} instant={expiresAt} />.
      </p>
    );
  }
  if (effect.kind === "follows") return <FollowsExplanation {...effect} />;
  if (effect.kind !== "applies") return <AddsNothingExplanation {...effect} />;
  const { current } = effect;
  return (
    <p>
      {current && <Have current={current} />} {current ? "This code gives" : "It gives"} you{" "}
      {PLAN_NAMES[tier]} <Lasting tier={tier} instant={expiresAt} />. It starts today.
      {current && current.tier !== tier && <Afterwards current={current} expiresAt={expiresAt} />}
    </p>
  );
}

function Have({ current: { tier, renews, expiresAt } }: { current: Entitlement }) {
  const plan = PLAN_NAMES[tier];
  if (renews) {
    return (
      <>
        You pay for {plan}, which renews on <PlanEnd tier={tier} instant={expiresAt} />.
      </>
    );
  }
  return (
    <>
      You have {plan} <Lasting tier={tier} instant={expiresAt} />.
    </>
  );
}

function Afterwards({ current, expiresAt }: { current: Entitlement; expiresAt: Date }) {
  const plan = PLAN_NAMES[current.tier];
  const { year } = useRoot();
  if (current.renews) return ` It doesn’t change what you pay for ${plan}.`;
  if (current.expiresAt <= expiresAt) return null;
  const isEndless = isForever(current.expiresAt, year);
  return (
    <>
      {" "}
      {plan} waits meanwhile, and is yours again after that
      {!isEndless && (
        <>
          {" "}
          <Lasting tier={current.tier} instant={current.expiresAt} />
        </>
      )}
      .
    </>
  );
}

function Validity({ checked: { redeemableUntil, needsConfirmation, effect } }: { checked: CheckedCode }) {
  const isUseful = effect?.kind === "applies" || effect?.kind === "follows";
  if (!isUseful || (!redeemableUntil && !needsConfirmation)) return null;
  return (
    <p>
      {redeemableUntil && (
        <>
          Use it by <FormattedEnd instant={new Date(redeemableUntil.getTime() - 1)} />.{" "}
        </>
      )}
      {needsConfirmation && "Confirm your email address first: open the link we emailed you."}
    </p>
  );
}

/** @param children the form that applies it anyway */
export function UnusedNotice({ unused, children }: { unused: UnusedCode; children: ReactNode }) {
  return (
    <Focused>
      <Notice tone="plain">
        <div className="grid gap-3 justify-items-start">
          <p className="font-semibold">{`${unused.code} wasn’t applied.`}</p>
          <Effect effect={unused} />
          {unused.kind === "follows" && children}
        </div>
      </Notice>
    </Focused>
  );
}

function FollowsExplanation({ tier, expiresAt, behind }: CoveredEffect) {
  return (
    <p>
      You have {PLAN_NAMES[behind.tier]} <Lasting tier={behind.tier} instant={behind.expiresAt} />. This code
      gives you {PLAN_NAMES[tier]} <Lasting tier={tier} instant={expiresAt} />. Its time starts today, but
      you’d only use it after {PLAN_NAMES[behind.tier]} ends.
    </p>
  );
}

function AddsNothingExplanation({ tier, expiresAt, behind }: CoveredEffect) {
  const { year } = useRoot();
  if (behind.renews) {
    return (
      <p>
        You already pay for {PLAN_NAMES[behind.tier]}. A code doesn’t change what you pay, so this one adds
        nothing while your plan renews. If you cancel, you can still use it.
      </p>
    );
  }
  const addsSome = expiresAt > behind.expiresAt && !isForever(behind.expiresAt, year);
  return (
    <p>
      You already have {PLAN_NAMES[behind.tier]} <Lasting tier={behind.tier} instant={behind.expiresAt} />.
      This code gives you {PLAN_NAMES[tier]} <Lasting tier={tier} instant={expiresAt} />,{" "}
      {addsSome ? "so it would add less than a day. You can still use it later." : "so it would add nothing."}
    </p>
  );
}

function Lasting(plan: { tier: Tier; instant: Date }) {
  return <Until {...plan} endless="forever" />;
}
