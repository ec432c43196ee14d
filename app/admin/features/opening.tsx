import { describeMoves } from "../../billing/announcing/describe-moves.ts";
import type { FeatureStates } from "../../entitlements/features.ts";
import {
  FEATURE_NAMES,
  FEATURES_BY_TIER,
  type Feature,
  PLAN_NAMES,
  TIERS,
  type Tier,
} from "../../entitlements/tiers.ts";
import { SubmitButton } from "../../ui/button.tsx";
import { REFUND_PROMISE, REFUND_PROMISE_ONCE_OPEN } from "../../ui/offer.ts";
import { PageLink } from "../../ui/page-link.tsx";
import { PostForm } from "../../ui/post-form.tsx";
import { Beside, ConsolePage, Figures, formatCount, Moment } from "../console-page.tsx";
import { HiddenFields, PlainField, Sure } from "../press.tsx";
import type { Route } from "./+types/features.ts";

type Data = Route.ComponentProps["loaderData"];
type OpeningData = NonNullable<Data["opening"]>;

/** Whom and what the opening of a feature changes, before it is confirmed. */
export function Opening(props: OpeningData & Pick<Data, "states">) {
  const { feature, states, holders, announced, waiting, mail } = props;
  const name = FEATURE_NAMES[feature];
  const { moves, isAll } = waiting;
  const changing = plansThatChange(feature, states);
  const people = `${numberOf(holders)} ${holders.count === 1 && holders.isAll ? "person" : "people"}`;
  const openedAt = states[feature].openedAt?.toISOString() ?? "";
  return (
    <ConsolePage title={`Open ${name}`} above={{ href: "/admin/features", label: "Features" }}>
      <Figures
        figures={[
          [
            "Get an email",
            announced ? "Nobody" : people,
            announced
              ? "Everybody who had it was told the first time it opened"
              : "Everybody who has it when it opens, once",
          ],
          [
            "Get days back",
            moves.length === 0 ? "Nobody" : `${isAll ? "" : "At least "}${formatCount(moves.length)}`,
            moves.length === 0 ? "No plan has waited for it" : describeMoves(moves).join(" and "),
          ],
          [
            "Refund promise shrinks for",
            changing.length > 0 ? plansNamed(changing) : "No plan",
            changing.length === 0 && "Another feature of each is open already",
          ],
        ]}
      />
      <Beside
        title={announced ? "No email" : "They get this email"}
        aside={
          announced ? (
            <p>{`${formatCount(announced.mailed)} people were told when it first opened. Nobody is told twice.`}</p>
          ) : (
            <>
              <p className="font-semibold">{mail.subject}</p>
              <pre className="console-mail-text">{mail.text}</pre>
            </>
          )
        }
      >
        <ul className="list">
          <li>The public pages, the dashboard and the payment page say that it’s open, within a second.</li>
          {changing.length > 0 && (
            <li>{`The refund promise of ${plansNamed(changing)} is “${REFUND_PROMISE}” It becomes “${REFUND_PROMISE_ONCE_OPEN}”`}</li>
          )}
          <Moves {...waiting} />
          <li>
            Before anybody’s bank data comes in, the <PageLink href="/privacy">privacy page</PageLink> has to
            say what’s stored, where and for how long.
          </li>
        </ul>
        <PostForm action="?" className="console-form">
          <HiddenFields fields={{ feature, change: "open", seen: openedAt }} />
          <PlainField
            label="On this day"
            hint="From midnight UTC. Leave it empty to open it now."
            name="day"
            type="date"
          />
          <Sure
            label={
              announced
                ? "Open it. Nobody is emailed"
                : `Email ${people}${moves.length > 0 ? " and move their days" : ""}: it can’t be taken back`
            }
          />
          <SubmitButton pendingLabel="Saving…">{`Open ${name}`}</SubmitButton>
        </PostForm>
      </Beside>
    </ConsolePage>
  );
}

const SHOWN_MOVES = 20;

function Moves({ moves }: OpeningData["waiting"]) {
  return (
    moves.length > 0 && (
      <li>
        The time they waited is added, once.
        <details data-quiet="">
          <summary>Whose, as if it opened now</summary>
          <ul className="list">
            {moves.slice(0, SHOWN_MOVES).map(({ id, userId, email, kind, tier, days, endsAt }) => (
              <li key={id}>
                <PageLink href={`/admin/people/${userId}`}>{email}</PageLink>
                {`, ${kind} of ${PLAN_NAMES[tier]}: ${days} ${days === 1 ? "day" : "days"} after `}
                <Moment instant={endsAt} />
              </li>
            ))}
            {moves.length > SHOWN_MOVES && <li>{`and ${formatCount(moves.length - SHOWN_MOVES)} more`}</li>}
          </ul>
        </details>
      </li>
    )
  );
}

export const plansNamed = (tiers: readonly Tier[]) => tiers.map((tier) => PLAN_NAMES[tier]).join(" and ");

export function numberOf({ count, isAll }: OpeningData["holders"]): string {
  return `${isAll ? "" : "At least "}${formatCount(count)}`;
}

/** The plans for which no other feature is open: their refund promise depends on this one. */
export function plansThatChange(feature: Feature, states: FeatureStates): Tier[] {
  return TIERS.filter(
    (tier) =>
      FEATURES_BY_TIER[tier].includes(feature) &&
      FEATURES_BY_TIER[tier].every((other) => other === feature || !states[other].isOpen),
  );
}
