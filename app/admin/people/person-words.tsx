import { isForever } from "../../entitlements/expiry.ts";
import { PLAN_NAMES, type Tier } from "../../entitlements/tiers.ts";
import { useRoot } from "../../ui/site.ts";
import { Moment } from "../console-page.tsx";

/** "CSV + Banking until 2027-02-28 09:00" */
export function HeldPlan({ plan }: { plan: { tier: Tier; expiresAt: Date; renews?: boolean } | null }) {
  const { year } = useRoot();
  if (!plan) return "No plan";
  const { tier, expiresAt, renews } = plan;
  if (isForever(expiresAt, year)) return `${PLAN_NAMES[tier]}, without an end`;
  return (
    <>
      {PLAN_NAMES[tier]} until <PlanEnd expiresAt={expiresAt} renews={renews} />
    </>
  );
}

export function PlanEnd(props: { expiresAt: Date; renews?: boolean | undefined; isDay?: boolean }) {
  const { expiresAt, renews = false, isDay = false } = props;
  if (isForever(expiresAt, useRoot().year)) return "No end";
  return (
    <>
      <Moment instant={expiresAt} isDay={isDay} />
      {renews && ", renews"}
    </>
  );
}
