import { eq, sql } from "drizzle-orm";
import { enqueueCustomerUpdate } from "../../billing/customer-jobs.server.ts";
import type { Database } from "../../db/client.server.ts";
import { user } from "../../db/schema.ts";

/** Changes what a person is called and shows, as far as it is given (spec §7, update profile), and tells Stripe. */
export async function updateProfile(
  db: Database,
  userId: string,
  changes: { name?: string; image?: string | null },
): Promise<void> {
  await db.transaction(async (tx) => {
    await tx
      .update(user)
      .set({ ...changes, updatedAt: sql`now()` })
      .where(eq(user.id, userId));
    if (changes.name !== undefined) await enqueueCustomerUpdate(tx, userId);
  });
}
