import { eq } from "drizzle-orm";
import type { Queryable } from "../../db/client.server.ts";
import { isUniqueViolation } from "../../db/constraint-errors.server.ts";
import type { App } from "../../http/context.server.ts";
import { enqueueMail } from "../../mail/enqueue-mail.server.ts";
import type { Site } from "../../ui/site.ts";
import { sendVerification } from "../mail-links.server.ts";
import { connectedMessage } from "../messages.ts";
import { user } from "../schema.ts";
import { isSessionAlive, type Session } from "../sessions.server.ts";
import {
  connectIdentity,
  createUser,
  findIdentityOwner,
  readSignInMethods,
  type SignedInUser,
} from "../users.server.ts";
import type { Identity } from "./identity.server.ts";
import { type Intent, PROVIDER_NAMES } from "./providers.ts";
import type { SignInError } from "./sign-in-errors.ts";

/** An attempt fails when another request was first. */
const ATTEMPTS = 4;

type Resolved = { userId: string } | { error: SignInError };

/** By docs/integrate.md. Of two callbacks of a new person one creates the account. @param session `null` when signing in */
export async function resolveIdentity(
  { db, config }: Pick<App, "db" | "config">,
  { intent, session }: { intent: Intent; session: Session | null },
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

/** By an account created with this address since the lookup. */
class Overtaken extends Error {
  override name = "Overtaken";
}

async function resolveOnce(
  tx: Queryable,
  site: Site,
  intent: Intent,
  session: Session | null,
  identity: Identity,
): Promise<Resolved> {
  const owner = await lockOwner(tx, session?.user.id ?? null, identity.email);
  // It may have been ended meanwhile, to lock this person out.
  if (session && !(await isSessionAlive(tx, session))) return { error: "signed-out" };
  const identityOwnerId = await findIdentityOwner(tx, identity);
  const decision = decideLinking({ intent, identity, identityOwnerId, owner });
  if ("create" in decision) {
    const { provider, accountId, name, image, isEmailVerified: emailVerified } = identity;
    const email = decision.create;
    const signIn = { provider, accountId };
    const id = await createUser(tx, { email, name, image, emailVerified, signIn });
    if (!id) throw new Overtaken();
    if (!emailVerified) await sendVerification(tx, site, { id, email });
    return { userId: id };
  }
  if ("link" in decision) {
    const { id, email } = decision.link;
    await connectIdentity(tx, id, identity);
    await enqueueMail(tx, site, connectedMessage(email, PROVIDER_NAMES[identity.provider], site));
    return { userId: id };
  }
  return decision;
}

/** Against concurrent links. */
async function lockOwner(tx: Queryable, id: string | null, email: string | null) {
  const isThem = id ? eq(user.id, id) : eq(user.email, email?.toLowerCase() ?? "");
  const [found] = await tx.select().from(user).where(isThem).for("no key update");
  if (!found) return null;
  const { hasPassword, connections } = await readSignInMethods(tx, found.id);
  return { ...found, hasPassword, providers: connections.map(({ provider }) => provider) };
}

type LinkableUser = SignedInUser & { hasPassword: boolean; providers: string[] };

interface Situation {
  intent: Intent;
  identity: Identity;
  identityOwnerId: string | null;
  /** When signing in, the user with the address; otherwise the signed-in user. */
  owner: LinkableUser | null;
}

/** An account to create with an address, or to connect. */
type Decision = Resolved | { create: string } | { link: LinkableUser };

/** By the table of docs/integrate.md. An address alone opens an account only when both sides have verified it. */
function decideLinking(situation: Situation): Decision {
  const { intent, identityOwnerId, owner } = situation;
  if (intent === "sign_in") return decideSignIn(situation);
  if (!owner) return { error: "signed-out" };
  if (identityOwnerId === owner.id) return { userId: owner.id };
  return intent === "connect" ? decideConnect(situation, owner) : { error: "user-mismatch" };
}

function decideSignIn({ identity, identityOwnerId, owner }: Situation): Decision {
  if (identityOwnerId) return { userId: identityOwnerId };
  const { provider, email, isEmailVerified } = identity;
  if (!email) return { error: "email-missing" };
  if (!owner) return { create: email };
  if (!owner.emailVerified) return { error: "address-unconfirmed" };
  if (owner.providers.includes("google")) return { error: "account-exists-google" };
  if (provider === "google" && isEmailVerified) return { link: owner };
  const isFacebookOnly = owner.providers.includes("facebook") && !owner.hasPassword;
  return { error: isFacebookOnly ? "account-exists-facebook" : "account-exists" };
}

function decideConnect({ identity, identityOwnerId }: Situation, owner: LinkableUser): Decision {
  if (identityOwnerId) return { error: "identity-taken" };
  if (owner.providers.includes(identity.provider)) return { error: "provider-connected" };
  return owner.emailVerified ? { link: owner } : { error: "email-unverified" };
}
