import { z } from "zod";
import { COMMAND_LINE } from "../../app/audit/record-change.server.ts";
import { previewMoves } from "../../app/billing/announcing/announce-feature.server.ts";
import { changeFeature, type Opening } from "../../app/billing/announcing/change-feature.server.ts";
import { describeMoves } from "../../app/billing/announcing/describe-moves.ts";
import type { Database } from "../../app/db/client.server.ts";
import { loadFeatureStates } from "../../app/entitlements/features.server.ts";
import type { FeatureState } from "../../app/entitlements/features.ts";
import { FEATURE_NAMES, FEATURES, type Feature, PLAN_NAMES } from "../../app/entitlements/tiers.ts";
import { answerFrom } from "../open.ts";
import { type OpsAnswer, type OpsCommands, OpsError, readArguments, USAGE_ERROR } from "./command.ts";

const time = z.union([z.iso.date(), z.iso.datetime()]).transform((text) => new Date(text));

export const commands: OpsCommands = {
  list: {
    usage: "list",
    summary: "which features are open, and which open when",
    async run(args) {
      readArguments(args, {});
      return describeFeatures();
    },
  },
  open: {
    usage: `open ${FEATURES.join("|")} [--at YYYY-MM-DD|YYYY-MM-DDTHH:MM:SSZ] [--yes]`,
    summary:
      "opens a feature, now or on a day; those who have a plan with it are mailed once, when it is open, and get back the days they waited; says first whose plans move, and does it with --yes",
    run: (args) => {
      const { feature, at, yes } = readFeature(args);
      return setOpening(feature, at === undefined ? "now" : readTime(at), yes);
    },
  },
  close: {
    usage: `close ${FEATURES.join("|")}`,
    summary: "says again that a feature is being built",
    run: (args) => {
      const { feature, at, yes } = readFeature(args);
      if (at !== undefined || yes)
        throw new OpsError("a feature is closed now: --at and --yes are for open", USAGE_ERROR);
      return setOpening(feature, null);
    },
  },
};

function readFeature(args: string[]): { feature: Feature; at: string | undefined; yes: boolean } {
  const options = { at: { type: "string" }, yes: { type: "boolean" } } as const;
  const { values, positionals } = readArguments(args, options, 1);
  const [name] = positionals;
  const feature = FEATURES.find((each) => each === name);
  if (!feature)
    throw new OpsError(
      `there is no feature ${name ?? "without a name"}: choose ${FEATURES.join(" or ")}`,
      USAGE_ERROR,
    );
  return { feature, at: values.at, yes: values.yes ?? false };
}

function readTime(text: string): Date {
  const at = time.safeParse(text);
  if (at.success) return at.data;
  throw new OpsError(
    "--at: give a day such as 2027-03-01, or a time such as 2027-03-01T09:00:00Z",
    USAGE_ERROR,
  );
}

/** All features with their states. */
async function describeFeatures(): Promise<OpsAnswer> {
  return answerFrom(async ({ db }) => {
    const states = await loadFeatureStates(db);
    return { text: FEATURES.map((key) => inWords(key, states[key])).join("\n"), data: states };
  });
}

const SHOWN_MOVES = 20;

/** @throws what would move, for --yes to confirm; nothing when nobody has waited */
async function refuseMoves(db: Database, feature: Feature, openedAt: Date): Promise<void> {
  const { moves } = await previewMoves(db, feature, openedAt, true);
  if (moves.length === 0) return;
  const lines = moves
    .slice(0, SHOWN_MOVES)
    .map(
      ({ email, kind, tier, days, endsAt }) =>
        `  ${email}: ${kind} of ${PLAN_NAMES[tier]}, ${days} days after ${endsAt.toISOString()}`,
    );
  throw new OpsError(
    [
      `Nothing was opened yet. It moves ${describeMoves(moves).join(" and ")}:`,
      ...lines,
      ...(moves.length > SHOWN_MOVES ? [`  and ${moves.length - SHOWN_MOVES} more`] : []),
      "It cannot be taken back. Run it again with --yes.",
    ].join("\n"),
  );
}

/** Opens or closes a feature in the name of the command line, and says what follows. */
async function setOpening(feature: Feature, opening: Opening, isConfirmed = true): Promise<OpsAnswer> {
  return answerFrom(async ({ db }) => {
    if (opening && !isConfirmed) await refuseMoves(db, feature, opening === "now" ? new Date() : opening);
    const { state, ...change } = await changeFeature(db, COMMAND_LINE, feature, opening);
    const announces = change.ok && change.announces;
    const isNew = change.ok && state.openedAt && !change.before.openedAt;
    return {
      text: [
        inWords(feature, state),
        announces && "Everybody whose plan includes it is mailed once it is open, while the site runs.",
        isNew &&
          "Before anybody's bank data comes in, /privacy must say what is stored, where and for how long " +
            "(app/marketing/legal/privacy.md).",
      ]
        .filter(Boolean)
        .join("\n"),
      data: { feature, ...state, announces },
    };
  });
}

function inWords(key: Feature, { isOpen, openedAt }: FeatureState): string {
  const day = openedAt?.toISOString().replace(".000Z", "Z");
  const state = !openedAt ? "is being built" : isOpen ? `is open since ${day}` : `opens at ${day}`;
  return `${key} (${FEATURE_NAMES[key]}) ${state}`;
}
