import { randomUUID } from "node:crypto";
import { and, eq, sql } from "drizzle-orm";
import type { Queryable } from "../db/client.server.ts";
import { checkHash, DECOY_HASH, hashPassword, isOldHash } from "./password-hash.server.ts";
import { account, user } from "./schema.ts";

/** The `provider_id` of the sign-in method "password". */
export const BY_PASSWORD = "credential";

export interface StoredPassword {
  userId: string;
  hash: string;
}

/**
 * Whether this is a user's password. Without a stored one the same work is done, so that the time does not tell which
 * addresses have accounts. A right one with an old hash is hashed anew: only now is it known.
 *
 * @returns the stored password it was compared with, so that the caller can see whether it has changed since; `null` when
 *   it is not the password
 */
export async function checkPassword(
  db: Queryable,
  stored: StoredPassword | null,
  password: string,
): Promise<StoredPassword | null> {
  const isRight = await checkHash(stored?.hash ?? DECOY_HASH, password);
  if (!isRight || !stored || !isOldHash(stored.hash)) return isRight ? stored : null;
  const hash = await hashPassword(password);
  const renewed = await db
    .update(account)
    .set({ password: hash })
    .where(
      and(
        eq(account.userId, stored.userId),
        eq(account.providerId, BY_PASSWORD),
        eq(account.password, stored.hash),
      ),
    )
    .returning({ id: account.id });
  if (renewed.length > 0) return { ...stored, hash };
  // Another request of theirs was first, or the password has just been changed.
  return checkPassword(db, await findPasswordOf(db, stored.userId), password);
}

/** The password of the account with an address; `null` when there is no such account, or it has none. */
export function findPasswordByEmail(db: Queryable, email: string): Promise<StoredPassword | null> {
  return findPassword(db, eq(user.email, email.toLowerCase()));
}

/** The password of a user; `null` when they have none. */
export function findPasswordOf(db: Queryable, userId: string): Promise<StoredPassword | null> {
  return findPassword(db, eq(user.id, userId));
}

async function findPassword(db: Queryable, ofUser: ReturnType<typeof eq>): Promise<StoredPassword | null> {
  const [stored] = await db
    .select({ userId: user.id, hash: account.password })
    .from(user)
    .innerJoin(account, and(eq(account.userId, user.id), eq(account.providerId, BY_PASSWORD)))
    .where(ofUser);
  return stored?.hash ? { userId: stored.userId, hash: stored.hash } : null;
}

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
