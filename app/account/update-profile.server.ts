import { eq, sql } from "drizzle-orm";
import { user } from "../auth/schema.ts";
import { SIGNED_IN_USER_COLUMNS, type SignedInUser } from "../auth/users.server.ts";
import { enqueueCustomerUpdate } from "../billing/customer.server.ts";
import type { Database } from "../db/client.server.ts";

/** What is left out stays. `null`: gone */
export function updateProfile(
  db: Database,
  userId: string,
  { name, image }: { name?: string; image?: string | null },
): Promise<SignedInUser | null> {
  return db.transaction(async (tx) => {
    const [updated] = await tx
      .update(user)
      .set({ name, image, updatedAt: sql`now()` })
      .where(eq(user.id, userId))
      .returning(SIGNED_IN_USER_COLUMNS);
    if (updated && name !== undefined) await enqueueCustomerUpdate(tx, userId);
    return updated ?? null;
  });
}
