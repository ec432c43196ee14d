import type { ReactNode } from "react";
import { FormattedDate, FormattedEnd } from "../ui/formatted-date.tsx";
import { useRoot } from "../ui/site.ts";
import { isForever } from "./expiry.ts";
import type { FeatureState, FeatureStates } from "./features.ts";
import type { UserSubscription } from "./subscription.server.ts";
import { FEATURE_NAMES, type Feature, PLAN_NAMES, TIER_NAMES } from "./tiers.ts";

/** The user's plan in their words, with the state of each feature (spec §2, Dashboard). */
export function SubscriptionFacts({
  subscription,
  states,
}: {
  subscription: UserSubscription;
  states: FeatureStates;
}) {
  const { status, tier, source, promoCode, renews, features } = subscription;
  return (
    <dl className="grid">
      <Fact name="Status">{status === "active" ? "Active" : status}</Fact>
      <Fact name="Plan">{PLAN_NAMES[tier]}</Fact>
      <Fact name="Tier">{tier}</Fact>
      {source === "promo" && <Fact name="From">promo code {promoCode}</Fact>}
      <Fact name={renews ? "Renews" : "Expires"}>
        <End {...subscription} />
      </Fact>
      <Fact name="Features">
        {features.map((feature) => (
          <div key={feature}>
            <FeatureWithState feature={feature as Feature} state={states[feature as Feature]} />
          </div>
        ))}
      </Fact>
    </dl>
  );
}

function FeatureWithState({ feature, state }: { feature: Feature; state: FeatureState }) {
  return (
    <>
      {`${FEATURE_NAMES[feature]}, `}
      <span className="text-quiet">
        {state.isOpen && state.openedAt ? (
          <>
            open since <FormattedDate instant={state.openedAt} />
          </>
        ) : (
          "being built"
        )}
      </span>
    </>
  );
}

/** All stored columns of a subscription, by their own names (spec §2, Test-promo page). */
export function StoredSubscription({ subscription }: { subscription: UserSubscription }) {
  const { status, tier, source, promoCode, createdAt, renews, features } = subscription;
  return (
    <dl className="grid">
      <Fact name="Status">{status}</Fact>
      <Fact name="Tier">
        {tier} <span className="text-quiet">({TIER_NAMES[tier]})</span>
      </Fact>
      <Fact name="Source">{source}</Fact>
      <Fact name="Promo code">{promoCode ?? "none"}</Fact>
      <Fact name="Created">
        <FormattedDate instant={createdAt} />
      </Fact>
      <Fact name={renews ? "Renews" : "Expires"}>
        <End {...subscription} />
      </Fact>
      <Fact name="Features">{featureNames(features)}</Fact>
    </dl>
  );
}

function End({ expiresAt }: Pick<UserSubscription, "expiresAt">) {
  return isForever(expiresAt, useRoot().year) ? "Never expires" : <FormattedEnd instant={expiresAt} />;
}

function featureNames(features: readonly string[]): string {
  return features.map((feature) => FEATURE_NAMES[feature as Feature]).join(", ");
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="fact">
      <dt className="text-quiet">{name}</dt>
      <dd className="amount whitespace-normal">{children}</dd>
    </div>
  );
}
