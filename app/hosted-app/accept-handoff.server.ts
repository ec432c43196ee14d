import { eq, sql } from "drizzle-orm";
import { connectedMessage } from "../auth/account-notices.ts";
import { connectIdentity, createUser, findIdentityOwner } from "../auth/create-user.server.ts";
import { providerName } from "../auth/providers/providers.ts";
import { user } from "../auth/schema.ts";
import type { Database, Queryable } from "../db/client.server.ts";
import type { Outlived } from "../db/delete-batches.server.ts";
import { type Failure, failure } from "../http/errors.ts";
import { hashSecret } from "../http/secret-token.server.ts";
import { enqueueMail } from "../mail/enqueue-mail.server.ts";
import type { Site } from "../ui/site.ts";
import { decideHandoff } from "./decide-handoff.ts";
import type { HandoffClaims, TokenUse } from "./handoff-token.ts";
import { BAD_HANDOFF } from "./hosted-app.server.ts";
import { handoffs } from "./schema.ts";

/** The provider name of the hosted app among a user's sign-in methods. */
export const HOSTED_APP_PROVIDER = "hosted-app";

/** An unconfirmed account here has the address; its owner can claim the account by resetting the password. */
export interface AddressTaken extends Failure {
  takenEmail: string;
}

type Accepted = { ok: true; userId: string } | Failure | AddressTaken;

/**
 * Consumes a verified token and finds or creates its user. Of any number of concurrent uses one succeeds: the others
 * wait for its row and then conflict with it.
 *
 * Failures: 401 token used before; 403 address not confirmed on one of the two sides.
 */
export function acceptHandoff(
  db: Database,
  issuer: string,
  site: Site,
  handoff: HandoffClaims & TokenUse,
): Promise<Accepted> {
  return db.transaction(async (tx) => {
    if (!(await consumeToken(tx, issuer, handoff))) return BAD_HANDOFF;
    // Two tokens of one new user must not create two accounts.
    await tx.execute(
      sql`SELECT pg_advisory_xact_lock(hashtextextended(${`${HOSTED_APP_PROVIDER} ${handoff.accountId}`}, 0))`,
    );
    // `null` when another sign-up takes the address between the SELECT and the INSERT; the second call then finds it.
    return (
      (await findOrCreateUser(tx, site, handoff)) ??
      (await findOrCreateUser(tx, site, handoff)) ??
      BAD_HANDOFF
    );
  });
}

/** Records of tokens that have expired, kept for another hour, for clock skew. */
export const EXPIRED_HANDOFFS: Outlived = {
  table: handoffs,
  condition: sql`${handoffs.expiresAt} < now() - interval '1 hour'`,
};

async function consumeToken(tx: Queryable, issuer: string, { jti, expiresAt }: TokenUse): Promise<boolean> {
  const tokenHash = hashSecret(`${issuer}\n${jti}`);
  const consumed = await tx
    .insert(handoffs)
    .values({ tokenHash, expiresAt })
    .onConflictDoNothing()
    .returning({ tokenHash: handoffs.tokenHash });
  return consumed.length === 1;
}

/** @returns `null` when another account has taken the address in the meantime */
async function findOrCreateUser(tx: Queryable, site: Site, claims: HandoffClaims): Promise<Accepted | null> {
  const { accountId, email, name, image } = claims;
  const identity = { provider: HOSTED_APP_PROVIDER, accountId };
  const decision = decideHandoff(claims, {
    accountOwnerId: await findIdentityOwner(tx, identity),
    addressOwner: email === null ? null : await findAddressOwner(tx, email),
  });
  switch (decision.do) {
    case "reject":
      return decision.isTaken && email !== null
        ? { ...failure(403, decision.message), takenEmail: email }
        : failure(403, decision.message);
    case "sign-in":
      return { ok: true, userId: decision.userId };
    case "connect":
      await connectIdentity(tx, decision.userId, identity);
      await enqueueMail(tx, site, connectedMessage(decision.email, providerName(HOSTED_APP_PROVIDER), site));
      return { ok: true, userId: decision.userId };
    case "create": {
      const userId = await createUser(tx, {
        email: decision.email,
        emailVerified: true,
        name,
        image,
        signIn: identity,
      });
      return userId === null ? null : { ok: true, userId };
    }
  }
}

/** Locks the owner's row: until the commit its address, password and sign-in methods cannot change. */
async function findAddressOwner(tx: Queryable, email: string) {
  const [found] = await tx
    .select({ id: user.id, email: user.email, emailVerified: user.emailVerified })
    .from(user)
    .where(eq(user.email, email.toLowerCase()))
    .for("no key update");
  return found ?? null;
}
