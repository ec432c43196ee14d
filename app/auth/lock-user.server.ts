import { eq, sql } from "drizzle-orm";
import type { Queryable } from "../db/client.server.ts";
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
 * Locks the rows of several users at once until the caller's transaction ends, against changes, not against rows that refer
 * to them.
 *
 * @param waits otherwise those whom somebody else has locked are left out: whoever holds several never waits for another
 * @returns those that are there, by their id
 */
export async function lockUsers(tx: Queryable, userIds: readonly string[], waits: boolean) {
  const rows = await tx
    .select({ id: user.id, email: user.email, emailVerified: user.emailVerified })
    .from(user)
    .where(sql`${user.id} = ANY(${sql.param(userIds)})`)
    .orderBy(user.id)
    .for("no key update", waits ? {} : { skipLocked: true })
    .prepare(`lock_users_${waits}`)
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}
