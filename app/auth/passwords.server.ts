import { and, eq } from "drizzle-orm";
import type { Queryable } from "../db/client.server.ts";
import type { App } from "../http/context.server.ts";
import { account, user } from "./schema.ts";

/** Better Auth's name for the way in by password. */
export const BY_PASSWORD = "credential";

/** A password as it is kept: scrypt, by Better Auth. Takes some 50 milliseconds of another thread. */
export async function hashPassword({ auth }: Pick<App, "auth">, password: string): Promise<string> {
  return (await auth.$context).password.hash(password);
}

/** A password that is kept, and whose. */
export interface KeptPassword {
  userId: string;
  hash: string;
}

/**
 * Whether this is the password of somebody, and then which one: whoever acts on it can see whether it has been changed
 * since. Without a kept one the same time is spent on nothing, so that nobody hears which addresses have accounts.
 */
export async function checkPassword(
  { auth }: Pick<App, "auth">,
  kept: KeptPassword | null,
  password: string,
): Promise<KeptPassword | null> {
  const { hash, verify } = (await auth.$context).password;
  hashOfNobody ??= hash("nobody's").catch((error: unknown) => {
    // Kept, it would fail every sign-in with an unknown address until the next start.
    hashOfNobody = undefined;
    throw error;
  });
  const isRight = await verify({ hash: kept?.hash ?? (await hashOfNobody), password });
  return isRight ? kept : null;
}

/** What passwords are compared with when there is none. That somebody may guess this one lets nobody in. */
let hashOfNobody: Promise<string> | undefined;

/** The password of the account with an address; `null` when there is no such account, or it has none. */
export function findPasswordByEmail(db: Queryable, email: string): Promise<KeptPassword | null> {
  return findPassword(db, eq(user.email, email.toLowerCase()));
}

/** The password of a user; `null` when they sign in by other ways only. */
export function findPasswordOf(db: Queryable, userId: string): Promise<KeptPassword | null> {
  return findPassword(db, eq(user.id, userId));
}

async function findPassword(db: Queryable, ofUser: ReturnType<typeof eq>): Promise<KeptPassword | null> {
  const [kept] = await db
    .select({ userId: user.id, hash: account.password })
    .from(user)
    .innerJoin(account, and(eq(account.userId, user.id), eq(account.providerId, BY_PASSWORD)))
    .where(ofUser);
  return kept?.hash ? { userId: kept.userId, hash: kept.hash } : null;
}
