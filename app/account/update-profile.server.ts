import { eq, sql } from "drizzle-orm";
import type { Queryable } from "../db/client.server.ts";
import { user } from "../db/schema.ts";
import type { SignedInUser } from "./auth.server.ts";

/**
 * Changes how somebody is called and shown: the one writer of both. What is left out stays; no photo is `null`.
 *
 * @returns the user as they are now, or `null` when there is no such user any more
 */
export async function updateProfile(
  db: Queryable,
  userId: string,
  { name, image }: { name?: string; image?: string | null },
): Promise<SignedInUser | null> {
  const [updated] = await db
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
  return updated ?? null;
}
