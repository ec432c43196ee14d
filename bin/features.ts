/**
 * Lists the features and says which are open, for the operator. Pages follow within a second, in every process.
 *
 *   npm run features -- list
 *   npm run features -- open csv_processing --at 2027-03-01
 */
import { parseArgs } from "node:util";
import { z } from "zod";
import { loadFeatureStates, setFeature } from "../app/entitlements/features.server.ts";
import { FEATURE_NAMES, type Feature } from "../app/entitlements/tiers.ts";
import { withDatabase } from "./open.ts";

const KEYS = Object.keys(FEATURE_NAMES) as Feature[];
const USAGE = `Usage:
  npm run features -- list
  npm run features -- open ${KEYS.join("|")} [--at YYYY-MM-DD|YYYY-MM-DDTHH:MM:SSZ]
  npm run features -- close ${KEYS.join("|")}

Without --at a feature opens now; a day begins at midnight UTC. With a day to come, pages say that it is being built
until then. Once the first feature of a plan is open, its payments can be refunded for 14 days only.`;

const time = z.union([z.iso.date(), z.iso.datetime()]).transform((text) => new Date(text));

const wanted = readArguments(process.argv.slice(2));
if (wanted?.command === "list") await list();
else if (wanted) await set(wanted.key, wanted.openedAt);

type Wanted = { command: "list" } | { command: "set"; key: Feature; openedAt: Date | "now" | null };

async function set(key: Feature, openedAt: Date | "now" | null): Promise<void> {
  await withDatabase(async ({ db }) => {
    const before = await loadFeatureStates(db);
    await setFeature(db, key, openedAt);
    const { [key]: state } = await loadFeatureStates(db);
    console.log(inWords(key, state));
    if (state.openedAt && !before[key].openedAt)
      console.log(
        "Before anybody's bank data comes in, /privacy must say what is stored, where and for how long " +
          "(app/marketing/legal/privacy.md).",
      );
  });
}

async function list(): Promise<void> {
  await withDatabase(async ({ db }) => {
    const states = await loadFeatureStates(db);
    for (const key of KEYS) console.log(inWords(key, states[key]));
  });
}

function inWords(key: Feature, { isOpen, openedAt }: { isOpen: boolean; openedAt: Date | null }): string {
  const day = openedAt?.toISOString().replace(".000Z", "Z");
  const state = !openedAt ? "is being built" : isOpen ? `is open since ${day}` : `opens at ${day}`;
  return `${key} (${FEATURE_NAMES[key]}) ${state}`;
}

function readArguments(args: string[]): Wanted | undefined {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { at: { type: "string" } },
    });
    const [command, name, ...rest] = positionals;
    const key = KEYS.find((each) => each === name);
    if (command === "list" && !name && values.at === undefined) return { command };
    if ((command !== "open" && command !== "close") || rest.length > 0) return fail(USAGE);
    if (!key) return fail(`there is no feature ${name ?? "without a name"}: choose ${KEYS.join(" or ")}`);
    if (command === "close") {
      return values.at === undefined ? { command: "set", key, openedAt: null } : fail(USAGE);
    }
    if (values.at === undefined) return { command: "set", key, openedAt: "now" };
    const at = time.safeParse(values.at);
    if (!at.success)
      return fail("--at: give a day such as 2027-03-01, or a time such as 2027-03-01T09:00:00Z");
    return { command: "set", key, openedAt: at.data };
  } catch (error) {
    return fail(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
  }
}

function fail(message: string): undefined {
  console.error(message);
  process.exitCode = 1;
}
