import { eq, sql } from "drizzle-orm";
import type { Queryable } from "../db/client.server.ts";
import { executePrepared } from "../db/prepared.server.ts";
import { user } from "./schema.ts";

/**
 * Locks the row of a user until the caller's transaction ends. Taken before any other row of theirs, so that two never wait
 * for each other.
 *
 * @returns `null` when the account is gone
 */
export async function lockUser(tx: Queryable, userId: string) {
  const [row] = await tx.select().from(user).where(eq(user.id, userId)).for("update");
  return row ?? null;
}

/**
 * The same for several users at once.
 *
 * @param waits otherwise those whom somebody else has locked are left out: whoever holds several never waits for another
 * @returns those that are there, by their id
 */
export async function lockUsers(tx: Queryable, userIds: readonly string[], waits: boolean) {
  const rows = await executePrepared<{ id: string; email: string; emailVerified: boolean }>(
    tx,
    "lock_users",
    sql`SELECT id, email, email_verified AS "emailVerified" FROM ${user}
      WHERE id = ANY (${sql.param(userIds)}::text[]) ORDER BY id FOR UPDATE ${waits ? sql`` : sql`SKIP LOCKED`}`,
  );
  return new Map(rows.map((row) => [row.id, row]));
}
