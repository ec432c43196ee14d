import type { ReactNode } from "react";
import { FormattedDate, FormattedDue, FormattedEnd } from "../ui/formatted-date.tsx";
import { useRoot } from "../ui/site.ts";
import { isForever } from "./expiry.ts";
import { addedDays, type FeatureState, type FeatureStates, useFeatures } from "./features.ts";
import type { UserSubscription } from "./subscription.server.ts";
import { FEATURE_NAMES, type Feature, PLAN_NAMES, type Tier } from "./tiers.ts";

/** Spec §2, Dashboard. @param status of a plan that is paid for. @param end said in place of its own */
export function SubscriptionFacts(props: {
  subscription: UserSubscription;
  states: FeatureStates;
  status?: string;
  endName?: string;
  end?: Date | string;
}) {
  const { subscription, states, status = "Active", end } = props;
  const { tier, source, promoCode, renews, features } = subscription;
  return (
    <dl className="grid">
      <Fact name="Status">{status}</Fact>
      <Fact name="Plan">{PLAN_NAMES[tier]}</Fact>
      <Fact name="Tier">{tier}</Fact>
      {source === "promo" && <Fact name="From">promo code {promoCode}</Fact>}
      <Fact name={props.endName ?? (renews ? "Renews" : "Expires")}>
        {end instanceof Date ? <FormattedDue instant={end} /> : (end ?? <End {...subscription} />)}
      </Fact>
      <Fact name="Features">
        {features.map((feature) => (
          <div key={feature}>
            <FeatureWithState feature={feature} state={states[feature]} />
          </div>
        ))}
      </Fact>
    </dl>
  );
}

function FeatureWithState({ feature, state }: { feature: Feature; state: FeatureState }) {
  return (
    <>
      {FEATURE_NAMES[feature]}
      {state.isOpen && state.openedAt && (
        <span className="text-quiet">
          , open since <FormattedDate instant={state.openedAt} />
        </span>
      )}
    </>
  );
}

export function End({ tier, expiresAt, renews }: Pick<UserSubscription, "tier" | "expiresAt" | "renews">) {
  if (isForever(expiresAt, useRoot().year)) return "Never expires";
  return <PlanEnd tier={tier} instant={expiresAt} isExact={!renews} />;
}

/** @param endless said of a plan without an end */
export function Until({ tier, instant, endless }: { tier: Tier; instant: Date; endless: string }) {
  if (isForever(instant, useRoot().year)) return endless;
  return (
    <>
      until <PlanEnd tier={tier} instant={instant} />
    </>
  );
}

/** The end of a plan of this tier, and that the days waited for its first feature are added to it. @param isExact with its time */
export function PlanEnd({ tier, instant, isExact }: { tier: Tier; instant: Date; isExact?: boolean }) {
  return (
    <>
      {isExact ? <FormattedEnd instant={instant} /> : <FormattedDue instant={instant} />}
      {addedDays(tier, useFeatures(), instant)}
    </>
  );
}

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="fact">
      <dt className="text-quiet">{name}</dt>
      <dd className="amount whitespace-normal">{children}</dd>
    </div>
  );
}
