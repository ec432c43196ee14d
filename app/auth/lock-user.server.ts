import { eq, type SQL, sql } from "drizzle-orm";
import type { Queryable } from "../db/client.server.ts";
import { prepareStatement } from "../db/prepared.server.ts";
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
  const rows = await (waits ? lockAll : lockFree)(tx, { userIds });
  return new Map(rows.map((row) => [row.id, row]));
}

const lockAll = prepareLock("lock_users", sql``);
const lockFree = prepareLock("lock_free_users", sql`SKIP LOCKED`);

function prepareLock(name: string, whenLocked: SQL) {
  return prepareStatement<{ id: string; email: string; emailVerified: boolean }, "userIds">(
    name,
    () => sql`SELECT id, email, email_verified AS "emailVerified" FROM ${user}
      WHERE id = ANY (${sql.placeholder("userIds")}::text[]) ORDER BY id FOR UPDATE ${whenLocked}`,
  );
}
