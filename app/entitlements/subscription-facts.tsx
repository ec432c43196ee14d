import type { ReactNode } from "react";
import { FormattedDate } from "../ui/formatted-date.tsx";
import { isForever } from "./expiry.ts";
import type { UserSubscription } from "./subscription.server.ts";
import { FEATURE_NAMES, type Feature, TIER_NAMES } from "./tiers.ts";

/** The details of a subscription. `isFull` adds where it came from (spec §2, Test-promo page). */
export function SubscriptionFacts({
  subscription,
  isFull,
}: {
  subscription: UserSubscription;
  isFull?: boolean;
}) {
  const { status, tier, source, promoCode, createdAt, expiresAt, renews, features } = subscription;
  return (
    <dl className="grid">
      <Fact name="Status">
        <span className="label font-semibold">{status}</span>
      </Fact>
      <Fact name="Tier">
        {tier} <span className="text-quiet">({TIER_NAMES[tier]})</span>
      </Fact>
      {(isFull || source === "promo") && <Fact name="Source">{source}</Fact>}
      {(isFull || promoCode) && <Fact name="Promo code">{promoCode ?? "none"}</Fact>}
      {isFull && (
        <Fact name="Created">
          <FormattedDate instant={createdAt} />
        </Fact>
      )}
      <Fact name={renews ? "Renews" : "Expires"}>
        {isForever(expiresAt, new Date()) ? "Never expires" : <FormattedDate instant={expiresAt} />}
      </Fact>
      <Fact name="Features">{features.map((feature) => FEATURE_NAMES[feature as Feature]).join(", ")}</Fact>
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="grid grid-cols-[8rem_1fr] gap-4 items-baseline border-t border-dashed border-rule py-2.5">
      <dt className="text-quiet">{name}</dt>
      <dd className="amount whitespace-normal">{children}</dd>
    </div>
  );
}
