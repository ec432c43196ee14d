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
import { Notice } from "../../ui/notice.tsx";
import { REFUND_PROMISE, REFUND_PROMISE_ONCE_OPEN } from "../../ui/offer.ts";
import { PageLink } from "../../ui/page-link.tsx";
import { PostForm } from "../../ui/post-form.tsx";
import { ConsolePage, Figures, formatCount, Moment } from "../console-page.tsx";
import { HiddenFields, PlainField, Sure } from "../press.tsx";
import type { Route } from "./+types/features.ts";

type Data = Route.ComponentProps["loaderData"];
type OpeningData = NonNullable<Data["opening"]>;

/** Whom and what the opening of a feature changes, before it is confirmed. */
export function Opening(props: OpeningData & Pick<Data, "states">) {
  const { feature, states, holders, announced, waiting, mail } = props;
  const name = FEATURE_NAMES[feature];
  const { moves, isAll } = waiting;
  const plans = `${isAll ? "" : "at least "}${formatCount(moves.length)} ${moves.length === 1 ? "plan" : "plans"}`;
  const changing = plansThatChange(feature, states);
  const people = `${numberOf(holders)} ${holders.count === 1 && holders.isAll ? "person" : "people"}`;
  const openedAt = states[feature].openedAt?.toISOString() ?? "";
  return (
    <ConsolePage title={`Open the ${name} feature`} above={{ href: "/admin/features", label: "Features" }}>
      <Notice tone="plain">
        Before anyone’s bank data comes in, the <PageLink href="/privacy">privacy page</PageLink> has to say
        what’s stored, where, and for how long.
      </Notice>
      <Figures
        figures={[
          [
            "Will be emailed",
            announced ? "Nobody" : people,
            announced
              ? "Everyone who had it was told the first time it opened"
              : "Everyone with this feature, once",
          ],
          [
            "Will be extended",
            moves.length === 0 ? "No plan" : plans,
            moves.length === 0 ? "None has waited for it" : describeMoves(moves).join(" and "),
          ],
          [
            "Refund promise shrinks for",
            changing.length > 0 ? plansNamed(changing) : "No plan",
            changing.length > 0 ? "To 14 days after any payment" : "Another feature of each is open already",
          ],
        ]}
      />
      <div className="console-beside console-opening">
        <ul className="list">
          <li>The public pages, the dashboard, and the payment page say that it’s open, within a second.</li>
          {changing.length > 0 && (
            <li>{`The refund promise of ${plansNamed(changing)} is “${REFUND_PROMISE}” It becomes “${REFUND_PROMISE_ONCE_OPEN}”`}</li>
          )}
          <Moves {...waiting} />
        </ul>
        <aside aria-labelledby="email">
          <h2 id="email">{announced ? "No email" : "They get this email"}</h2>
          {announced ? (
            <p>{`${formatCount(announced.mailed)} people were told when it first opened. Nobody is told twice.`}</p>
          ) : (
            <details data-quiet="">
              <summary>{`Read “${mail.subject}”`}</summary>
              <pre className="console-mail-text">{mail.text}</pre>
            </details>
          )}
        </aside>
        <PostForm action="?" className="console-form">
          <HiddenFields fields={{ feature, do: "open", seen: openedAt }} />
          <When />
          <Sure
            label={
              announced
                ? "Open it. Nobody is emailed"
                : `Email ${people}${moves.length > 0 ? ` and extend ${plans}` : ""}: this can’t be undone`
            }
          />
          <SubmitButton pendingLabel="Saving…">
            <span className="when-now">{announced ? "Open now" : `Open now and email ${people}`}</span>
            <span className="when-date">Open on this date</span>
          </SubmitButton>
        </PostForm>
      </div>
    </ConsolePage>
  );
}

function When() {
  return (
    <fieldset className="gap-2">
      <legend className="pb-2">When</legend>
      <label className="choice">
        <input type="radio" name="when" value="now" defaultChecked />
        Now
      </label>
      <label className="choice">
        <input type="radio" name="when" value="date" />
        On a date
      </label>
      <div className="when-date">
        <PlainField label="Date" hint="It opens at midnight UTC." name="day" type="date" />
      </div>
    </fieldset>
  );
}

const SHOWN_MOVES = 20;

function Moves({ moves }: OpeningData["waiting"]) {
  return (
    moves.length > 0 && (
      <li>
        Each plan is extended once by the days waited.
        <details data-quiet="">
          <summary>See who gets days</summary>
          <ul className="list">
            {moves.slice(0, SHOWN_MOVES).map(({ id, userId, email, kind, tier, days, endsAt }) => (
              <li key={id} className="[overflow-wrap:anywhere]">
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
