import { randomUUID } from "node:crypto";
import { and, asc, eq, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { Queryable } from "../db/client.server.ts";
import { noteEvent } from "../telemetry/events.ts";
import { BY_PASSWORD, setPassword } from "./passwords.server.ts";
import { account, photos, user } from "./schema.ts";

export const SIGNED_IN_USER_COLUMNS = {
  id: user.id,
  name: user.name,
  email: user.email,
  emailVerified: user.emailVerified,
  image: user.image,
  timeZone: user.timeZone,
};

export type SignedInUser = Pick<typeof user.$inferSelect, keyof typeof SIGNED_IN_USER_COLUMNS>;

/** The user of a session, with the version of their uploaded photo, which is shown instead of `image`; `null`: none. */
export type SessionUser = SignedInUser & { photoVersion: string | null };

export const SESSION_USER_COLUMNS = { ...SIGNED_IN_USER_COLUMNS, photoVersion: photoVersionOf(user.id) };

/** SQL: the version of a user's photo, wrapped as in `secondFactorOf`. */
export function photoVersionOf(userId: SQLWrapper): SQL<string | null> {
  const version = sql`(SELECT ${photos.version} FROM ${photos} WHERE ${photos.userId} = ${userId})`;
  return sql<string | null>`${version}`;
}

/** The id never changes. */
export interface ProviderIdentity {
  provider: string;
  accountId: string;
}

export interface NewUser extends Omit<typeof user.$inferInsert, "id"> {
  emailVerified: boolean;
  signIn: { passwordHash: string } | ProviderIdentity;
}

/** @returns the user's id; `null` when the address has an account */
export async function createUser(tx: Queryable, { signIn, ...columns }: NewUser): Promise<string | null> {
  const id = randomUUID();
  const [made] = await tx
    .insert(user)
    .values({ ...columns, id, email: columns.email.toLowerCase() })
    .onConflictDoNothing({ target: user.email })
    .returning({ id: user.id });
  if (!made) return null;
  if ("passwordHash" in signIn) await setPassword(tx, id, signIn.passwordHash);
  else await connectIdentity(tx, id, signIn);
  noteEvent(tx, { event: "signed_up", userId: id });
  return id;
}

export async function findUser(db: Queryable, id: string) {
  const [found] = await db.select().from(user).where(eq(user.id, id));
  return found ?? null;
}

/** Before any other row of theirs, so that two transactions never wait for each other. `null`: gone */
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

export async function setTimeZone(db: Queryable, userId: string, timeZone: string): Promise<void> {
  await db
    .update(user)
    .set({ timeZone })
    .where(and(eq(user.id, userId), sql`${user.timeZone} IS DISTINCT FROM ${timeZone}`));
}

export async function setProductNews(db: Queryable, userId: string, isWanted: boolean): Promise<void> {
  await db
    .update(user)
    .set({ productNewsSince: isWanted ? sql`coalesce(${user.productNewsSince}, now())` : null })
    .where(eq(user.id, userId));
}

export async function wantsProductNews(db: Queryable, userId: string): Promise<boolean> {
  return Boolean((await findUser(db, userId))?.productNewsSince);
}

export async function findIdentityOwner(db: Queryable, { provider, accountId }: ProviderIdentity) {
  const [found] = await db
    .select({ userId: account.userId })
    .from(account)
    .where(and(eq(account.providerId, provider), eq(account.accountId, accountId)));
  return found?.userId ?? null;
}

/** @throws a unique violation when it is connected already */
export async function connectIdentity(
  tx: Queryable,
  userId: string,
  { provider, accountId }: ProviderIdentity,
): Promise<void> {
  await tx.insert(account).values({ id: randomUUID(), userId, providerId: provider, accountId });
}

export async function readSignInMethods(db: Queryable, userId: string) {
  const methods = await db
    .select({ id: account.id, provider: account.providerId, since: account.createdAt })
    .from(account)
    .where(eq(account.userId, userId))
    .orderBy(asc(account.createdAt), asc(account.id));
  const connections = methods.filter(({ provider }) => provider !== BY_PASSWORD);
  return { hasPassword: connections.length < methods.length, connections };
}
