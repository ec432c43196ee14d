import { type SQL, sql } from "drizzle-orm";
import { auditLog } from "../audit/schema.ts";
import { watchValue } from "../background-loop.server.ts";
import type { Queryable } from "../db/client.server.ts";
import type { App } from "../http/context.server.ts";
import { type FeatureState, type FeatureStates, NOTHING_OPEN } from "./features.ts";
import { features } from "./schema.ts";
import { FEATURES_BY_TIER, type Feature, TIERS, type Tier } from "./tiers.ts";

declare module "../http/context.server.ts" {
  interface App {
    features: ReturnType<typeof watchFeatures>;
  }
}

/** By the database's clock. A feature without a row is still being built. */
export async function loadFeatureStates(db: Queryable): Promise<FeatureStates> {
  return (await loadFeatures(db)).states;
}

/** `opensIn`: milliseconds until the next scheduled opening. */
async function loadFeatures(db: Queryable): Promise<{ states: FeatureStates; opensIn: number }> {
  const found = await db
    .select({
      key: features.key,
      openedAt: features.openedAt,
      isOpen: sql<boolean>`coalesce(${features.openedAt} <= now(), false)`,
      hasOpened: sql<boolean>`EXISTS (
        SELECT FROM ${auditLog} WHERE ${auditLog.subject} = 'feature:' || ${features.key}
          AND ${auditLog.action} = 'feature.announced')`,
      opensIn: sql<number | null>`extract(epoch FROM ${features.openedAt} - now())::float8 * 1000`,
    })
    .from(features);
  const states = found.map(({ key, openedAt, isOpen, hasOpened }): [Feature, FeatureState] => [
    key,
    { openedAt, isOpen, ...(hasOpened && { hasOpened }) },
  ]);
  const openings = found.flatMap(({ isOpen, opensIn }) => (isOpen || opensIn === null ? [] : opensIn));
  return {
    states: { ...NOTHING_OPEN, ...Object.fromEntries(states) } as FeatureStates,
    opensIn: Math.max(0, Math.min(...openings)),
  };
}

/** An expression; NULL: no day is set. For `refundableNow`. */
export function firstOpeningOf(tier: SQL<Tier>): SQL<Date | null> {
  const openings = TIERS.map((each) => sql`WHEN ${each} THEN ${features.key} IN ${FEATURES_BY_TIER[each]}`);
  return sql`(SELECT min(${features.openedAt}) FROM ${features}
    WHERE CASE ${tier} ${sql.join(openings, sql` `)} END)`.mapWith(features.openedAt);
}

/** @param openedAt `now` by the database's clock; `null`: it is being built */
export async function setFeature(db: Queryable, key: Feature, openedAt: Date | "now" | null): Promise<void> {
  const value = openedAt === "now" ? sql`now()` : openedAt;
  await db
    .insert(features)
    .values({ key, openedAt: value })
    .onConflictDoUpdate({ target: features.key, set: { openedAt: value } });
}

/** Added to the wait, so that the reread finds the feature open. */
const MOMENT_MILLISECONDS = 20;

/** Rereads when a scheduled feature opens. Keeps the last state while the database is away. */
export function watchFeatures({ db, log }: Pick<App, "db" | "log">) {
  let opensIn = Number.POSITIVE_INFINITY;
  return watchValue(
    NOTHING_OPEN,
    async () => {
      const loaded = await loadFeatures(db);
      opensIn = loaded.opensIn;
      return loaded.states;
    },
    (error) => log.warn({ error }, "could not look which features are open"),
    () => opensIn + MOMENT_MILLISECONDS,
  );
}
