import { and, asc, eq, isNotNull, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { Queryable } from "../../db/client.server.ts";
import type { App } from "../../http/context.server.ts";
import { authenticatorApps, passkeys } from "../schema.ts";
import { hasPasskeys } from "./passkeys.server.ts";
import { countRecoveryCodes } from "./recovery-codes.server.ts";

/** Wrapped once more: in a query of one table Drizzle omits its name, and `user_id = user_id` would be true for every user. */
export function secondFactorOf(userId: string | SQLWrapper): SQL<boolean> {
  const has = sql<boolean>`(EXISTS (SELECT FROM ${authenticatorApps} WHERE ${authenticatorApps.userId} = ${userId}
      AND ${authenticatorApps.confirmedAt} IS NOT NULL)
    OR EXISTS (SELECT FROM ${passkeys} WHERE ${passkeys.userId} = ${userId}))`;
  return sql<boolean>`${has}`;
}

/** Call with the user locked where that must not change. */
export async function hasSecondFactor(db: Queryable, userId: string): Promise<boolean> {
  const { rows } = await db.execute<{ has: boolean }>(sql`SELECT ${secondFactorOf(userId)} AS has`);
  return rows[0]?.has ?? false;
}

export async function readSecondFactor(db: Queryable, userId: string) {
  const [app] = await db
    .select({ since: authenticatorApps.confirmedAt })
    .from(authenticatorApps)
    .where(and(eq(authenticatorApps.userId, userId), isNotNull(authenticatorApps.confirmedAt)));
  const keys = await db
    .select({
      id: passkeys.id,
      name: passkeys.name,
      since: passkeys.createdAt,
      lastUsed: passkeys.lastUsedAt,
    })
    .from(passkeys)
    .where(eq(passkeys.userId, userId))
    .orderBy(asc(passkeys.createdAt), asc(passkeys.id));
  return {
    isOn: app !== undefined || keys.length > 0,
    app: app ?? null,
    passkeys: keys,
    recoveryCodesLeft: await countRecoveryCodes(db, userId),
  };
}

export type AvailableFactors = Awaited<ReturnType<typeof readAvailableFactors>>;

export async function readAvailableFactors({ config, db }: Pick<App, "config" | "db">, userId: string) {
  const { app, passkeys } = await readSecondFactor(db, userId);
  return { hasApp: app !== null, hasPasskeys: passkeys.length > 0 && hasPasskeys(config) };
}
