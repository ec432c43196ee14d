import { randomUUID } from "node:crypto";
import { and, eq } from "drizzle-orm";
import type { Queryable } from "../db/client.server.ts";
import { noteEvent } from "../telemetry/events.ts";
import { setPassword } from "./passwords.server.ts";
import { account, user } from "./schema.ts";

export interface NewUser {
  email: string;
  name: string;
  /** Whether a trusted provider says that the address is theirs. */
  emailVerified: boolean;
  image?: string | null;
  timeZone?: string | null;
  signIn: { passwordHash: string } | ProviderIdentity;
}

/**
 * Makes an account with its first sign-in method: the one place where users come from.
 *
 * @returns the user's id, or `null` when the address has an account already
 */
export async function createUser(tx: Queryable, asked: NewUser): Promise<string | null> {
  const id = randomUUID();
  const { email, name, emailVerified, image, timeZone, signIn } = asked;
  const [made] = await tx
    .insert(user)
    .values({ id, email: email.toLowerCase(), name, emailVerified, image, timeZone })
    .onConflictDoNothing({ target: user.email })
    .returning({ id: user.id });
  if (!made) return null;
  if ("passwordHash" in signIn) await setPassword(tx, id, signIn.passwordHash);
  else await connectIdentity(tx, id, signIn);
  noteEvent(tx, { event: "signed_up", userId: id });
  return id;
}

/**
 * What other features do when something happens to a user, each in the transaction that does it. They are wired up in
 * app.server.ts: this room knows neither payments nor promo codes.
 */
export interface UserHooks {
  onProfileChanged(tx: Queryable, userId: string): Promise<void>;
  /** The address is about to be given up, by changing it or deleting the account. The user is locked. */
  beforeAddressGivenUp(tx: Queryable, owner: { id: string; email: string }): Promise<void>;
  /** The password was reset by mail: somebody else may have used the account until then. */
  onPasswordReset(tx: Queryable, userId: string): Promise<void>;
}

declare module "../http/context.server.ts" {
  interface App {
    userHooks: UserHooks;
  }
}

/** A person at a provider, by the provider's own id for them, which never changes. */
export interface ProviderIdentity {
  provider: string;
  accountId: string;
}

/** The user an identity is connected to, or `null`. */
export async function findIdentityOwner(
  db: Queryable,
  { provider, accountId }: ProviderIdentity,
): Promise<string | null> {
  const [found] = await db
    .select({ userId: account.userId })
    .from(account)
    .where(and(eq(account.providerId, provider), eq(account.accountId, accountId)));
  return found?.userId ?? null;
}

/** Connects an identity to a user. @throws a unique violation when it is connected already */
export async function connectIdentity(
  tx: Queryable,
  userId: string,
  { provider, accountId }: ProviderIdentity,
): Promise<void> {
  await tx.insert(account).values({ id: randomUUID(), userId, providerId: provider, accountId });
}
