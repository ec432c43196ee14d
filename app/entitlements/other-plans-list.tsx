import { FormattedEnd } from "../ui/formatted-date.tsx";
import { useRoot } from "../ui/site.ts";
import { isForever } from "./expiry.ts";
import type { OtherPlan } from "./other-plans.ts";
import { PLAN_NAMES } from "./tiers.ts";

/** What somebody was given besides the plan in force: from when to when it counts, or why it does not. */
export function OtherPlansList({ plans }: { plans: readonly OtherPlan[] }) {
  if (plans.length === 0) return null;
  return (
    <div className="grid gap-2">
      <p className="font-semibold">Also yours</p>
      <ul className="list">
        {plans.map((plan) => (
          <li key={`${plan.promoCode} ${plan.expiresAt.toISOString()}`}>
            {PLAN_NAMES[plan.tier]}
            {plan.promoCode ? ` from promo code ${plan.promoCode}` : ", a gift from us"}: <Turn plan={plan} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function Turn({ plan: { tier, expiresAt, behind, from } }: { plan: OtherPlan }) {
  const better = PLAN_NAMES[behind.tier];
  const end = isForever(expiresAt, useRoot().year) ? (
    "with no end date"
  ) : (
    <FormattedEnd instant={expiresAt} />
  );
  if (from) {
    return (
      <>
        yours from <FormattedEnd instant={from} />, when {better} ends,{" "}
        {typeof end === "string" ? end : <>until {end}</>}.
      </>
    );
  }
  const lasts = typeof end === "string" ? end : <>until {end}</>;
  if (behind.renews) {
    return (
      <>
        {lasts}. You use it only if {better} ends before then.
      </>
    );
  }
  return (
    <>
      {lasts}.{" "}
      {behind.tier === tier
        ? `Your other ${better} lasts longer.`
        : `${better} includes it and lasts longer.`}
    </>
  );
}
