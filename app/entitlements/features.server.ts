import { sql } from "drizzle-orm";
import { watchValue } from "../background-loop.server.ts";
import type { Queryable } from "../db/client.server.ts";
import type { App } from "../http/context.server.ts";
import { type FeatureState, type FeatureStates, NOTHING_OPEN } from "./features.ts";
import { features } from "./schema.ts";
import type { Feature } from "./tiers.ts";

declare module "../http/context.server.ts" {
  interface App {
    features: ReturnType<typeof watchFeatures>;
  }
}

/** Which features are open now, by the database's clock. A feature without a row is still being built. */
export async function loadFeatureStates(db: Queryable): Promise<FeatureStates> {
  const rows = await db
    .select({
      key: features.key,
      openedAt: features.openedAt,
      isOpen: sql<boolean>`coalesce(${features.openedAt} <= now(), false)`,
    })
    .from(features);
  const states = rows.map(({ key, ...state }): [Feature, FeatureState] => [key, state]);
  return { ...NOTHING_OPEN, ...Object.fromEntries(states) };
}

/**
 * Opens a feature to everybody whose plan includes it, or closes it again.
 *
 * @param openedAt since when, or from when on; `now`: this moment by the database's clock; `null`: it is being built
 */
export async function setFeature(db: Queryable, key: Feature, openedAt: Date | "now" | null): Promise<void> {
  const value = openedAt === "now" ? sql`now()` : openedAt;
  await db
    .insert(features)
    .values({ key, openedAt: value })
    .onConflictDoUpdate({ target: features.key, set: { openedAt: value } });
}

/**
 * Notices within a second that a feature has opened or closed, whichever process changed it or because its time has come.
 * While the database is away, what was known last stays in force.
 */
export function watchFeatures({ db, log }: Pick<App, "db" | "log">) {
  return watchValue(
    NOTHING_OPEN,
    () => loadFeatureStates(db),
    (error) => log.warn({ error }, "could not look which features are open"),
  );
}
