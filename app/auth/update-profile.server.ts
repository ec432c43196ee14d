import { eq, sql } from "drizzle-orm";
import type { App } from "../http/context.server.ts";
import { user } from "./schema.ts";
import { SIGNED_IN_USER_COLUMNS, type SignedInUser } from "./sessions.server.ts";

/**
 * Changes the name and the photo of a user: the one writer of both. What is left out stays; no photo is `null`.
 *
 * @returns the user as they are now, or `null` when there is no such user any more
 */
export function updateProfile(
  { db, userHooks }: Pick<App, "db" | "userHooks">,
  userId: string,
  { name, image }: { name?: string; image?: string | null },
): Promise<SignedInUser | null> {
  return db.transaction(async (tx) => {
    const [updated] = await tx
      .update(user)
      .set({ name, image, updatedAt: sql`now()` })
      .where(eq(user.id, userId))
      .returning(SIGNED_IN_USER_COLUMNS);
    if (updated && name !== undefined) await userHooks.onProfileChanged(tx, userId);
    return updated ?? null;
  });
}
