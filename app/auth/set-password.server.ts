import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import type { Queryable } from "../db/client.server.ts";
import { BY_PASSWORD } from "./passwords.server.ts";
import { account } from "./schema.ts";

/** Sets or replaces a user's password. Which sessions end is the caller's to decide. */
export async function setPassword(tx: Queryable, userId: string, passwordHash: string): Promise<void> {
  await tx
    .insert(account)
    .values({
      id: randomUUID(),
      userId,
      providerId: BY_PASSWORD,
      accountId: userId,
      password: passwordHash,
    })
    .onConflictDoUpdate({
      target: [account.providerId, account.accountId],
      set: { password: passwordHash, updatedAt: sql`now()` },
    });
}
