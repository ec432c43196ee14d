import { eq } from "drizzle-orm";
import type { Queryable } from "../db/client.server.ts";
import { user } from "./schema.ts";

/**
 * Locks the row of a user until the caller's transaction ends. Taken before any other row of theirs, so that two never wait
 * for each other.
 *
 * @returns `null` when the account is gone
 */
export async function lockUser(tx: Queryable, userId: string) {
  const [row] = await tx
    .select()
    .from(user)
    .where(eq(user.id, userId))
    .for("update")
    .prepare("lock_user")
    .execute();
  return row ?? null;
}
