import { randomUUID } from "node:crypto";
import { and, eq } from "drizzle-orm";
import type { App } from "../../context.server.ts";
import type { Queryable } from "../../db/client.server.ts";
import { isUniqueViolation } from "../../db/constraint-errors.ts";
import { account, user } from "../../db/schema.ts";
import { enqueueMail } from "../../mail/message.server.tsx";
import type { Site } from "../../site.ts";
import { createUser } from "../create-user.server.ts";
import { sendVerification } from "../verification.server.ts";
import { decide, type Identity, type Owner } from "./linking.ts";
import { connectedMessage } from "./messages.ts";
import { type Intent, isProvider } from "./providers.ts";
import type { SignInError } from "./sign-in-errors.ts";

/** Each time somebody else was first, and then there is one race fewer to lose. */
const ATTEMPTS = 4;

type Admission = { userId: string } | { error: SignInError };

/**
 * Lets in whom a provider vouches for, or says why not (docs/linking.md), in one transaction. Of two callbacks of the
 * same new person one makes the account, and the other finds it.
 *
 * @param userId who is signed in; `null` when the intent is to sign in
 */
export async function admit(
  { db, config, wakeWorkers }: Pick<App, "db" | "config" | "wakeWorkers">,
  { intent, userId }: { intent: Intent; userId: string | null },
  identity: Identity,
): Promise<Admission> {
  for (let attempt = 1; ; attempt++) {
    try {
      const admission = await db.transaction((tx) => admitOnce(tx, config.site, intent, userId, identity));
      wakeWorkers();
      return admission;
    } catch (error) {
      const isOvertaken = error instanceof Overtaken || isUniqueViolation(error);
      if (!isOvertaken || attempt === ATTEMPTS) throw error;
    }
  }
}

async function admitOnce(
  tx: Queryable,
  site: Site,
  intent: Intent,
  signedInId: string | null,
  identity: Identity,
): Promise<Admission> {
  const owner = await lockOwner(tx, signedInId, identity.email);
  const identityOwnerId = await findIdentityOwner(tx, identity);
  const decision = decide({ intent, identity, identityOwnerId, owner });
  switch (decision.do) {
    case "refuse":
      return { error: decision.error };
    case "sign in":
      return { userId: decision.userId };
    case "create":
      return { userId: await create(tx, site, { ...identity, email: decision.email }) };
    case "link":
      return { userId: await link(tx, site, decision.userId, identity) };
  }
}

/**
 * Whom the decision is about: who is signed in, or else who has the address. Until the end of the transaction nobody
 * else links anything to them.
 */
async function lockOwner(tx: Queryable, id: string | null, email: string | null): Promise<Owner | null> {
  const isThem = id ? eq(user.id, id) : eq(user.email, email?.toLowerCase() ?? "");
  const [found] = await tx.select().from(user).where(isThem).for("no key update");
  if (!found) return null;
  const waysIn = await tx
    .select({ provider: account.providerId })
    .from(account)
    .where(eq(account.userId, found.id));
  const names = waysIn.map(({ provider }) => provider);
  return {
    userId: found.id,
    isEmailVerified: found.emailVerified,
    hasPassword: names.includes("credential"),
    providers: names.filter(isProvider),
  };
}

async function findIdentityOwner(
  tx: Queryable,
  { provider, accountId }: Pick<Identity, "provider" | "accountId">,
): Promise<string | null> {
  const [found] = await tx
    .select({ userId: account.userId })
    .from(account)
    .where(and(eq(account.providerId, provider), eq(account.accountId, accountId)));
  return found?.userId ?? null;
}

async function create(tx: Queryable, site: Site, identity: Identity & { email: string }): Promise<string> {
  const { provider, accountId, email, name, image, isEmailVerified } = identity;
  const id = await createUser(tx, {
    email,
    name,
    image,
    emailVerified: isEmailVerified,
    signIn: { provider, accountId },
  });
  if (!id) throw new Overtaken();
  if (!isEmailVerified) await sendVerification(tx, site, { id, email });
  return id;
}

/** Whose account it is hears of it, because whoever did it may be somebody else. */
async function link(
  tx: Queryable,
  site: Site,
  userId: string,
  { provider, accountId }: Identity,
): Promise<string> {
  await tx.insert(account).values({ id: randomUUID(), userId, providerId: provider, accountId });
  const [owner] = await tx.select({ email: user.email }).from(user).where(eq(user.id, userId));
  if (owner) await enqueueMail(tx, site, connectedMessage(owner.email, provider, site));
  return userId;
}

/** Somebody made an account with this address after we had looked. */
class Overtaken extends Error {
  override name = "Overtaken";
}
