import { useFeatures } from "../../entitlements/features.ts";
import { SubscriptionFacts } from "../../entitlements/subscription-facts.tsx";
import { PLAN_NAMES } from "../../entitlements/tiers.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { ConsolePart, Moment, State, type StateProps } from "../console-page.tsx";
import { type Column, Table } from "../lists/table.tsx";
import { ActionButton, ConfirmedAction, REASON } from "../press.tsx";
import { PlanEnd } from "./person-words.tsx";
import type { Holding, HoldingState, PersonRead } from "./read-person.server.ts";
import { SOURCE_NAMES } from "./source-names.ts";

type Held = PersonRead["holdings"][number];

const STATES: Record<HoldingState, StateProps> = {
  in_force: { word: "In force", tone: "good" },
  waits: { word: "Waits" },
  adds_nothing: { word: "Covered", tone: "quiet" },
  ended: { word: "Over", tone: "quiet" },
  revoked: { word: "Revoked", tone: "quiet" },
};

export function AccessPart(props: PersonRead & { customerHint: string | null; stripe: string }) {
  const { person, holdings, plan, customer, customerHint, stripe } = props;
  const features = useFeatures();
  return (
    <ConsolePart id="access" title={plan ? `Has ${PLAN_NAMES[plan.tier]}` : "Has no plan"}>
      <div className="console-actions">
        <ActionButton
          fields={{ do: "sync", ...(customerHint && !customer && { customer: customerHint }) }}
          label="Sync from Stripe"
          pendingLabel="Asking Stripe…"
        />
        <ButtonLink href={`/admin/people/${person.id}/give`} isQuiet>
          Give access
        </ButtonLink>
      </div>
      <Table
        label="Table of plans they have or had"
        rows={holdings}
        columns={columnsOf(stripe)}
        keyOf={({ id }) => id}
        none="They never had one: nothing paid, no promo code, nothing given by us."
      />
      {holdings.some(({ state }) => state === "waits" || state === "adds_nothing") && (
        <p className="text-quiet">
          Plans run side by side, and the best one applies. “Covered” means another gives as much for as long.
        </p>
      )}
      {plan && (
        <details>
          <summary>What their dashboard says</summary>
          <div className="console-theirs max-w-[34rem]">
            <SubscriptionFacts subscription={plan} states={features} />
          </div>
        </details>
      )}
    </ConsolePart>
  );
}

const columnsOf = (stripe: string): Column<Held>[] => [
  { header: "State", cell: ({ state }) => <State {...STATES[state]} /> },
  { header: "Plan", cell: ({ tier }) => <span className="whitespace-nowrap">{PLAN_NAMES[tier]}</span> },
  { header: "From", cell: ({ source }) => SOURCE_NAMES[source] },
  { header: "Why", isText: true, cell: (holding) => <Why {...holding} stripe={stripe} /> },
  { header: "Since (UTC)", cell: ({ from }) => <Moment instant={from} /> },
  {
    header: "Until (UTC)",
    cell: ({ revokedAt, until, renews }) => <PlanEnd expiresAt={revokedAt ?? until} renews={renews} />,
  },
  {
    header: "Actions",
    isHeaderHidden: true,
    cell: (holding) =>
      canBeRevoked(holding) && (
        <ConfirmedAction
          title="Revoke"
          fields={{ do: "revoke", grant: holding.id }}
          reason={REASON.label}
          label="Revoke now"
          pendingLabel="Revoking…"
        >
          <p>
            {`They lose ${PLAN_NAMES[holding.tier]} immediately, and then have ${holding.otherwise ? PLAN_NAMES[holding.otherwise] : "no plan"}. They aren’t emailed.`}
          </p>
        </ConfirmedAction>
      ),
  },
];

function Why({ source, why, id, stripe }: Holding & { stripe: string }) {
  if (source === "promo" && why)
    return <PageLink href={`/admin/codes/${encodeURIComponent(why)}`}>{why}</PageLink>;
  if (source !== "paid") return why;
  return (
    <>
      {why} (<PageLink href={`${stripe}/subscriptions/${id}`}>{id}</PageLink>)
    </>
  );
}

/** A paid plan ends at Stripe, not here. */
function canBeRevoked({ source, state }: Held): boolean {
  return source !== "paid" && state !== "ended" && state !== "revoked";
}
