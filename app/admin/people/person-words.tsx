import { isForever } from "../../entitlements/expiry.ts";
import { addedDays, useFeatures } from "../../entitlements/features.ts";
import type { UserSubscription } from "../../entitlements/subscription.server.ts";
import { PLAN_NAMES } from "../../entitlements/tiers.ts";
import { useRoot } from "../../ui/site.ts";
import { Moment } from "../console-page.tsx";

type Held = Pick<UserSubscription, "tier" | "source" | "promoCode" | "expiresAt"> & { renews?: boolean };

/** "CSV + Banking from code SPRING until 2027-02-28, plus the days until CSV Processing opens" */
export function HeldPlan({ plan }: { plan: Held | null }) {
  const { year } = useRoot();
  const features = useFeatures();
  if (!plan) return "No plan";
  const { tier, source, promoCode, expiresAt, renews } = plan;
  const from = { promo: ` from code ${promoCode}`, admin: ", given by us,", paid: ", paid," }[source];
  if (isForever(expiresAt, year)) return `${PLAN_NAMES[tier]}${from} without an end`;
  return (
    <>
      {`${PLAN_NAMES[tier]}${from} until `}
      <PlanEnd expiresAt={expiresAt} renews={renews} isDay />
      {addedDays(tier, features, expiresAt)}
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
