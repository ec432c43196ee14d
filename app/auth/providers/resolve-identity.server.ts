import { eq } from "drizzle-orm";
import type { Queryable } from "../../db/client.server.ts";
import { isUniqueViolation } from "../../db/constraint-errors.server.ts";
import type { App } from "../../http/context.server.ts";
import { enqueueMail } from "../../mail/enqueue-mail.server.ts";
import type { Site } from "../../ui/site.ts";
import { createUser } from "../create-user.server.ts";
import { connectIdentity, findIdentityOwner } from "../identity-owner.server.ts";
import { account, session, user } from "../schema.ts";
import { sendVerification } from "../verification.server.ts";
import { decide, type Identity, type Owner } from "./linking.ts";
import { connectedMessage } from "./messages.ts";
import { type Intent, isProvider, PROVIDER_NAMES } from "./providers.ts";
import type { SignInError } from "./sign-in-errors.ts";

/** Each time somebody else was first, and then there is one race fewer to lose. */
const ATTEMPTS = 4;

/** The session of somebody who changes their account. */
interface Asking {
  id: string;
  userId: string;
}

type Admission = { userId: string } | { error: SignInError };

/**
 * Lets in whom a provider vouches for, or says why not (docs/linking.md), in one transaction. Of two callbacks of the
 * same new person one makes the account, and the other finds it.
 *
 * @param session whose it is that asks; `null` when the intent is to sign in
 */
export async function admit(
  { db, config }: Pick<App, "db" | "config">,
  { intent, session: asking }: { intent: Intent; session: Asking | null },
  identity: Identity,
): Promise<Admission> {
  for (let attempt = 1; ; attempt++) {
    try {
      const admission = await db.transaction((tx) => admitOnce(tx, config.site, intent, asking, identity));
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
  asking: Asking | null,
  identity: Identity,
): Promise<Admission> {
  const owner = await lockOwner(tx, asking?.userId ?? null, identity.email);
  // Ended while the provider was asked, by whoever it is to be kept from.
  if (asking && !(await isAlive(tx, asking.id))) return { error: "signed-out" };
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

/** After the lock: who ends sessions locks the user as well. */
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

/** Whose account it is hears of it, because whoever did it may be somebody else. */
async function link(tx: Queryable, site: Site, userId: string, identity: Identity): Promise<string> {
  await connectIdentity(tx, userId, identity);
  const [owner] = await tx.select({ email: user.email }).from(user).where(eq(user.id, userId));
  if (owner)
    await enqueueMail(tx, site, connectedMessage(owner.email, PROVIDER_NAMES[identity.provider], site));
  return userId;
}

/** Somebody made an account with this address after we had looked. */
class Overtaken extends Error {
  override name = "Overtaken";
}
