import { useFeatures } from "../../entitlements/features.ts";
import { SubscriptionFacts } from "../../entitlements/subscription-facts.tsx";
import { PLAN_NAMES } from "../../entitlements/tiers.ts";
import { ButtonLink, SubmitButton } from "../../ui/button.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { PostForm } from "../../ui/post-form.tsx";
import { ConsolePart } from "../console-page.tsx";
import { Moment } from "../moment.tsx";
import { TableFrame } from "../table-frame.tsx";
import type { Holding, HoldingState } from "./holdings.ts";
import { PlanEnd, SOURCE_NAMES } from "./plan-words.tsx";
import type { PersonRead } from "./read-person.server.ts";
import { ReasonField } from "./reason-field.tsx";

type Held = PersonRead["holdings"][number];

const STATES: Record<HoldingState, { word: string; tone: "good" | "bad" | "quiet" | undefined }> = {
  in_force: { word: "In force", tone: "good" },
  waits: { word: "Waits", tone: undefined },
  adds_nothing: { word: "Adds nothing", tone: undefined },
  ended: { word: "Over", tone: "quiet" },
  revoked: { word: "Revoked", tone: "quiet" },
};

/** What somebody may use, why, and what their own dashboard says of it. */
export function AccessPart(props: PersonRead & { customerHint: string | null }) {
  const { person, holdings, plan, customer, customerHint } = props;
  const features = useFeatures();
  return (
    <ConsolePart id="access" title={plan ? `Has ${PLAN_NAMES[plan.tier]}` : "Has no plan"}>
      <div className="console-actions">
        <PostForm action="?">
          <input type="hidden" name="do" value="sync" />
          {customerHint && !customer && <input type="hidden" name="customer" value={customerHint} />}
          <SubmitButton pendingLabel="Asking Stripe…">Sync from Stripe</SubmitButton>
        </PostForm>
        <ButtonLink href={`/admin/people/${person.id}/give`} isQuiet>
          Give access
        </ButtonLink>
      </div>
      {holdings.length === 0 ? (
        <p className="text-quiet">Never had one: nothing paid, no promo code, nothing given by us.</p>
      ) : (
        <Holdings holdings={holdings} />
      )}
      {holdings.some(({ state }) => state === "waits" || state === "adds_nothing") && (
        <p className="text-quiet">
          A plan that waits takes over when a better one ends. One that adds nothing is covered by another for
          as long as it lasts.
        </p>
      )}
      {plan && (
        <details>
          <summary>What their dashboard says</summary>
          <div className="console-theirs">
            <SubscriptionFacts subscription={plan} states={features} />
          </div>
        </details>
      )}
    </ConsolePart>
  );
}

function Holdings({ holdings }: { holdings: readonly Held[] }) {
  return (
    <TableFrame label="Table of plans they have or had">
      <table>
        <thead>
          <tr>
            <th>State</th>
            <th>Plan</th>
            <th>From</th>
            <th>Why</th>
            <th>Since</th>
            <th>Until</th>
            <th>
              <span className="sr-only">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {holdings.map((holding) => (
            <tr key={holding.id}>
              <td>
                <span className="state" data-tone={STATES[holding.state].tone}>
                  {STATES[holding.state].word}
                </span>
              </td>
              <td>{PLAN_NAMES[holding.tier]}</td>
              <td>{SOURCE_NAMES[holding.source]}</td>
              <td className="words">
                <Why {...holding} />
              </td>
              <td>
                <Moment instant={holding.from} />
              </td>
              <td>
                <PlanEnd expiresAt={holding.revokedAt ?? holding.until} renews={holding.renews} />
              </td>
              <td>{canBeRevoked(holding) && <Revoke grant={holding.id} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
}

function Why({ source, why, id }: Holding) {
  if (source === "promo" && why)
    return <PageLink href={`/admin/codes/${encodeURIComponent(why)}`}>{why}</PageLink>;
  return source === "paid" ? `${why} (${id})` : why;
}

/** What is paid for ends at Stripe, not here. */
function canBeRevoked({ source, state }: Held): boolean {
  return source !== "paid" && state !== "ended" && state !== "revoked";
}

function Revoke({ grant }: { grant: string }) {
  return (
    <details>
      <summary>Revoke</summary>
      <PostForm action="?" className="console-form">
        <input type="hidden" name="do" value="revoke" />
        <input type="hidden" name="grant" value={grant} />
        <ReasonField id={`reason-${grant}`} label="Why, without naming them" />
        <SubmitButton isDangerous pendingLabel="Revoking…">
          Revoke now
        </SubmitButton>
      </PostForm>
    </details>
  );
}
