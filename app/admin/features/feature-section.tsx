import type { ReactNode } from "react";
import { describeMoves } from "../../billing/announcing/describe-moves.ts";
import type { FeatureStates } from "../../entitlements/features.ts";
import {
  FEATURE_NAMES,
  FEATURES_BY_TIER,
  type Feature,
  PLAN_NAMES,
  TIERS,
} from "../../entitlements/tiers.ts";
import { REFUND_PROMISE, REFUND_PROMISE_ONCE_OPEN } from "../../ui/offer.ts";
import { PageLink } from "../../ui/page-link.tsx";
import { ConsolePart, Facts, formatCount, Moment, State, type StateProps } from "../console-page.tsx";
import { ConfirmedAction, PlainField } from "../press.tsx";
import type { Route } from "./+types/features.ts";

type Data = Route.ComponentProps["loaderData"];
type FeatureProps = Data["features"][number] & Pick<Data, "states">;

export function FeatureSection(props: FeatureProps) {
  const { feature, holders, states } = props;
  const { isOpen, openedAt } = states[feature];
  const included = TIERS.filter((tier) => FEATURES_BY_TIER[tier].includes(feature));
  return (
    <ConsolePart id={feature} title={FEATURE_NAMES[feature]}>
      <Facts
        facts={[
          ["State", <State key="state" {...stateOf(states[feature])} />],
          [isOpen ? "Open since (UTC)" : "Opens (UTC)", <Moment key="since" instant={openedAt} />],
          ["Part of", plansNamed(included)],
          ["People who have it", numberOf(holders)],
          ["Told by email", <AnnouncementProgress key="told" isOpen={isOpen} {...props} />],
        ]}
      />
      {isOpen ? (
        <Change {...props} openedAt={openedAt} change="close">
          <CloseEffects {...props} />
        </Change>
      ) : (
        <>
          <Change {...props} openedAt={openedAt} change="open">
            <OpenEffects {...props} />
          </Change>
          <p className="text-quiet">
            {props.announced
              ? "Nobody is mailed: everybody who had it then was told the first time it opened."
              : `${numberOf(holders)} ${holders.count === 1 && holders.isAll ? "person has" : "people have"} it today. Everybody who has it when it opens gets one email. It can’t be called back.`}
          </p>
          {openedAt && (
            <Change {...props} openedAt={openedAt} change="close" label="Take the day away">
              <p>It stays closed, and no day is set. Nobody is mailed.</p>
            </Change>
          )}
        </>
      )}
    </ConsolePart>
  );
}

function stateOf({ isOpen, openedAt }: FeatureStates[Feature]): StateProps {
  if (isOpen) return { word: "Open", tone: "good" };
  return { word: openedAt ? "Scheduled" : "Being built" };
}

const plansNamed = (tiers: readonly (keyof typeof PLAN_NAMES)[]) =>
  tiers.map((tier) => PLAN_NAMES[tier]).join(" and ");

function numberOf({ count, isAll }: FeatureProps["holders"]): string {
  return `${isAll ? "" : "At least "}${formatCount(count)}`;
}

function AnnouncementProgress({ isOpen, announced, job }: FeatureProps & { isOpen: boolean }) {
  if (announced) {
    return (
      <>
        {formatCount(announced.mailed)} people, <Moment instant={announced.at} />
      </>
    );
  }
  if (!job) return "Nobody";
  if (!isOpen) return "Nobody yet. They’re mailed when it opens.";
  return (
    <>
      <meta httpEquiv="refresh" content="2" />
      <progress aria-label="Emails being written" />
      <span className="block">{`${formatCount(job.payload.mailed ?? 0)} people so far`}</span>
      {job.lastError && <State word={`Last try failed: ${job.lastError}`} tone="bad" />}
    </>
  );
}

function Change(props: {
  feature: Feature;
  openedAt: Date | null;
  change: "open" | "close";
  label?: string;
  children: ReactNode;
}) {
  const { feature, openedAt, change, children } = props;
  const name = FEATURE_NAMES[feature];
  const label = props.label ?? (change === "open" ? `Open ${name}` : `Close ${name}`);
  return (
    <ConfirmedAction
      title={`${label}…`}
      fields={{ feature, change, seen: openedAt?.toISOString() ?? "" }}
      label={label}
      pendingLabel="Saving…"
    >
      {children}
      {change === "open" && (
        <PlainField
          label="On this day"
          hint="From midnight UTC. Leave it empty to open it now."
          name="day"
          type="date"
        />
      )}
    </ConfirmedAction>
  );
}

/** The plans for which no other feature is open: their refund promise depends on this one. */
function plansThatChange(feature: Feature, states: FeatureStates) {
  return TIERS.filter(
    (tier) =>
      FEATURES_BY_TIER[tier].includes(feature) &&
      FEATURES_BY_TIER[tier].every((other) => other === feature || !states[other].isOpen),
  );
}

function OpenEffects({ feature, states, waiting }: FeatureProps) {
  const changing = plansThatChange(feature, states);
  return (
    <ul className="list">
      <li>The public pages, the dashboard and the payment page say that it’s open, within a second.</li>
      <li>
        {changing.length > 0
          ? `For ${plansNamed(changing)} the refund promise shrinks. Before: “${REFUND_PROMISE}” After: “${REFUND_PROMISE_ONCE_OPEN}”`
          : "No plan’s refund promise changes: another feature of each is open already."}
      </li>
      <li>
        <DaysGivenBack {...waiting} />
      </li>
      <li>
        Before anybody’s bank data comes in, the <PageLink href="/privacy">privacy page</PageLink> has to say
        what’s stored, where and for how long.
      </li>
    </ul>
  );
}

const SHOWN_MOVES = 20;

function DaysGivenBack({ moves, isAll }: FeatureProps["waiting"]) {
  if (moves.length === 0) return "Nobody gets days back: no plan has waited for it.";
  return (
    <>
      {`Opened now, it moves ${isAll ? "" : "at least "}${describeMoves(moves).join(" and ")}: the time they waited. It’s done once and can’t be taken back.`}
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
    </>
  );
}

function CloseEffects({ feature, states, announced }: FeatureProps) {
  const changing = plansThatChange(feature, states);
  return (
    <ul className="list">
      <li>Every page says again that it’s being built, within a second. Nobody is mailed about that.</li>
      {changing.length > 0 && (
        <li>{`For ${plansNamed(changing)} the longer refund promise is back: “${REFUND_PROMISE}”`}</li>
      )}
      <li>
        {announced
          ? "If you open it again, nobody is mailed or given days a second time. Days that were given stay."
          : "If the email about it is still going out, it stops, and goes on with the others once you open it again."}
      </li>
    </ul>
  );
}
