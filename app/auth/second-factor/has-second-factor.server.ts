import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { Queryable } from "../../db/client.server.ts";
import { authenticatorApps, passkeys } from "../schema.ts";

/**
 * As a condition: whether a user has a second factor, an app that is set up or a passkey. By indexes alone.
 *
 * Wrapped once more: of a query of one table Drizzle leaves that table's name out of what is selected, and
 * `user_id = user_id` would be true of everybody.
 */
export function secondFactorOf(userId: string | SQLWrapper): SQL<boolean> {
  const has = sql<boolean>`(EXISTS (SELECT FROM ${authenticatorApps} WHERE ${authenticatorApps.userId} = ${userId}
      AND ${authenticatorApps.confirmedAt} IS NOT NULL)
    OR EXISTS (SELECT FROM ${passkeys} WHERE ${passkeys.userId} = ${userId}))`;
  return sql<boolean>`${has}`;
}

/** Whether a user has a second factor. Ask with the user locked where that must go on being so. */
export async function hasSecondFactor(db: Queryable, userId: string): Promise<boolean> {
  const { rows } = await db.execute<{ has: boolean }>(sql`SELECT ${secondFactorOf(userId)} AS has`);
  return rows[0]?.has ?? false;
}
