import { Until } from "./subscription-facts.tsx";
import { PLAN_NAMES } from "./tiers.ts";
import type { WaitingGrant } from "./waiting-grants.ts";

/** The grants besides the plan in force: the period of each, or why it has no effect. */
export function WaitingGrants({ grants }: { grants: readonly WaitingGrant[] }) {
  if (grants.length === 0) return null;
  return (
    <div className="grid gap-2">
      <p className="font-semibold">Also yours</p>
      <ul className="list">
        {grants.map((grant) => (
          <li key={`${grant.promoCode} ${grant.expiresAt.toISOString()}`}>
            {PLAN_NAMES[grant.tier]}
            {grant.promoCode ? ` from promo code ${grant.promoCode}` : ", a gift from us"}:{" "}
            <Turn grant={grant} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function Turn({ grant: { tier, expiresAt, behind, from } }: { grant: WaitingGrant }) {
  const better = PLAN_NAMES[behind.tier];
  const lasts = <Until tier={tier} instant={expiresAt} endless="with no end date" />;
  if (from) {
    return (
      <>
        yours when {better} ends, {lasts}.
      </>
    );
  }
  if (behind.renews) {
    return <>{lasts}. It takes over only if your paid plan ends first.</>;
  }
  return (
    <>
      {lasts}.{" "}
      {behind.tier === tier ? "Your other one lasts longer." : `${better} includes it and lasts longer.`}
    </>
  );
}
