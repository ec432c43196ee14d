import { eq } from "drizzle-orm";
import type { Queryable } from "../../db/client.server.ts";
import { isUniqueViolation } from "../../db/constraint-errors.server.ts";
import type { App } from "../../http/context.server.ts";
import { enqueueMail } from "../../mail/enqueue-mail.server.ts";
import type { Site } from "../../ui/site.ts";
import { connectedMessage } from "../account-notices.ts";
import { connectIdentity, createUser, findIdentityOwner } from "../create-user.server.ts";
import { BY_PASSWORD } from "../passwords.server.ts";
import { account, session, user } from "../schema.ts";
import { sendVerification } from "../verification.server.ts";
import { decideLinking, type Identity, type Owner } from "./linking.ts";
import { type Intent, isProvider, PROVIDER_NAMES } from "./providers.ts";
import type { SignInError } from "./sign-in-errors.ts";

/** An attempt fails when another request was first, which can happen only so often. */
const ATTEMPTS = 4;

interface OpenSession {
  id: string;
  userId: string;
}

type Resolved = { userId: string } | { error: SignInError };

/**
 * Finds, makes or connects the user of an identity, or says why not (docs/integrate.md), in one transaction. Of two callbacks
 * of the same new person one makes the account, and the other finds it.
 *
 * @param session of the user who confirms or connects; `null` when the intent is to sign in
 */
export async function resolveIdentity(
  { db, config }: Pick<App, "db" | "config">,
  { intent, session }: { intent: Intent; session: OpenSession | null },
  identity: Identity,
): Promise<Resolved> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction((tx) => resolveOnce(tx, config.site, intent, session, identity));
    } catch (error) {
      const isOvertaken = error instanceof Overtaken || isUniqueViolation(error);
      if (!isOvertaken || attempt === ATTEMPTS) throw error;
    }
  }
}

async function resolveOnce(
  tx: Queryable,
  site: Site,
  intent: Intent,
  session: OpenSession | null,
  identity: Identity,
): Promise<Resolved> {
  const owner = await lockOwner(tx, session?.userId ?? null, identity.email);
  // It may have been ended meanwhile, to keep this person out.
  if (session && !(await isAlive(tx, session.id))) return { error: "signed-out" };
  const identityOwnerId = await findIdentityOwner(tx, identity);
  const decision = decideLinking({ intent, identity, identityOwnerId, owner });
  switch (decision.do) {
    case "reject":
      return { error: decision.error };
    case "sign in":
      return { userId: decision.userId };
    case "create":
      return { userId: await create(tx, site, { ...identity, email: decision.email }) };
    case "link":
      return { userId: await link(tx, site, decision.userId, identity) };
  }
}

/** Locks the signed-in user, or else the one with the address, against other links. */
async function lockOwner(tx: Queryable, id: string | null, email: string | null): Promise<Owner | null> {
  const isThem = id ? eq(user.id, id) : eq(user.email, email?.toLowerCase() ?? "");
  const [found] = await tx.select().from(user).where(isThem).for("no key update");
  if (!found) return null;
  const methods = await tx
    .select({ provider: account.providerId })
    .from(account)
    .where(eq(account.userId, found.id));
  const names = methods.map(({ provider }) => provider);
  return {
    userId: found.id,
    isEmailVerified: found.emailVerified,
    hasPassword: names.includes(BY_PASSWORD),
    providers: names.filter(isProvider),
  };
}

/** Call with the user locked, as ending sessions does. */
async function isAlive(tx: Queryable, sessionId: string): Promise<boolean> {
  const found = await tx.select({ id: session.id }).from(session).where(eq(session.id, sessionId));
  return found.length > 0;
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

/** Tells the owner, who may not have done it. */
async function link(tx: Queryable, site: Site, userId: string, identity: Identity): Promise<string> {
  await connectIdentity(tx, userId, identity);
  const [owner] = await tx.select({ email: user.email }).from(user).where(eq(user.id, userId));
  if (owner)
    await enqueueMail(tx, site, connectedMessage(owner.email, PROVIDER_NAMES[identity.provider], site));
  return userId;
}

/** Another request made an account with this address after we had looked. */
class Overtaken extends Error {
  override name = "Overtaken";
}
