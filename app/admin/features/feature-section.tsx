import type { ReactNode } from "react";
import type { FeatureStates } from "../../entitlements/features.ts";
import { FEATURE_NAMES, FEATURES_BY_TIER, type Feature, TIERS } from "../../entitlements/tiers.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { REFUND_PROMISE } from "../../ui/offer.ts";
import { ConsolePart, Facts, formatCount, Moment, State, type StateProps } from "../console-page.tsx";
import { ConfirmedAction } from "../press.tsx";
import type { Route } from "./+types/features.ts";
import { numberOf, plansNamed, plansThatChange } from "./opening.tsx";

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
        <Close {...props} openedAt={openedAt} label={`Close ${FEATURE_NAMES[feature]}`}>
          <CloseEffects {...props} />
        </Close>
      ) : (
        <>
          <div className="console-actions">
            <ButtonLink
              href={`?open=${feature}`}
              isQuiet
            >{`Open the ${FEATURE_NAMES[feature]} feature…`}</ButtonLink>
            {openedAt && (
              <Close {...props} openedAt={openedAt} label="Clear the date">
                <p>It stays closed, and no date is set. Nobody is emailed.</p>
              </Close>
            )}
          </div>
          <p className="text-quiet">First you see whom it emails and which plans it extends.</p>
        </>
      )}
    </ConsolePart>
  );
}

function stateOf({ isOpen, openedAt }: FeatureStates[Feature]): StateProps {
  if (isOpen) return { word: "Open", tone: "good" };
  return { word: openedAt ? "Scheduled" : "Being built" };
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
  if (!isOpen) return "Nobody yet. They’re emailed when it opens.";
  return (
    <>
      <meta httpEquiv="refresh" content="2" />
      <progress aria-label="Emails being written" />
      <span className="block">{`${formatCount(job.payload.mailed ?? 0)} people so far`}</span>
      {job.lastError && <State word={`Last try failed: ${job.lastError}`} tone="bad" />}
    </>
  );
}

function Close(props: { feature: Feature; openedAt: Date | null; label: string; children: ReactNode }) {
  const { feature, openedAt, label, children } = props;
  return (
    <ConfirmedAction
      title={label}
      fields={{ feature, do: "close", seen: openedAt?.toISOString() ?? "" }}
      label={label}
      pendingLabel="Saving…"
    >
      {children}
    </ConfirmedAction>
  );
}

function CloseEffects({ feature, states, announced }: FeatureProps) {
  const changing = plansThatChange(feature, states);
  return (
    <ul className="list">
      <li>Every page says again that it’s being built, within a second. Nobody is emailed about that.</li>
      {changing.length > 0 && (
        <li>{`For ${plansNamed(changing)} the longer refund promise is back: “${REFUND_PROMISE}”`}</li>
      )}
      <li>
        {announced
          ? "If you open it again, nobody is emailed or given days a second time. Days that were given stay."
          : "If the email about it is still going out, it stops, and goes on with the others once you open it again."}
      </li>
    </ul>
  );
}
