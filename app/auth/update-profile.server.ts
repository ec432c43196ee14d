import { eq, sql } from "drizzle-orm";
import type { App } from "../http/context.server.ts";
import type { SignedInUser } from "./auth.server.ts";
import { user } from "./schema.ts";

/**
 * Changes how somebody is called and shown: the one writer of both. What is left out stays; no photo is `null`.
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
      .returning({
        id: user.id,
        name: user.name,
        email: user.email,
        emailVerified: user.emailVerified,
        image: user.image,
      });
    if (updated && name !== undefined) await userHooks.onProfileChanged(tx, userId);
    return updated ?? null;
  });
}
