import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import type { Queryable } from "../db/client.server.ts";
import { BY_PASSWORD } from "./passwords.server.ts";
import { account } from "./schema.ts";

/** Gives a user a password, in place of the one they have if they have one. Which sessions end is the caller's to say. */
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
