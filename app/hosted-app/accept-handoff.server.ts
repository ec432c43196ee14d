import { eq, sql } from "drizzle-orm";
import { connectedMessage } from "../auth/messages.ts";
import { providerName } from "../auth/providers/providers.ts";
import { user } from "../auth/schema.ts";
import { connectIdentity, createUser, findIdentityOwner } from "../auth/users.server.ts";
import type { Database, Queryable } from "../db/client.server.ts";
import type { ExpiredRows } from "../db/delete-batches.server.ts";
import { type Failure, failure } from "../http/errors.ts";
import { hashSecret } from "../http/secret-token.server.ts";
import { enqueueMail } from "../mail/enqueue-mail.server.ts";
import type { Site } from "../ui/site.ts";
import { BAD_HANDOFF, type Handoff } from "./hosted-app.server.ts";
import { handoffs } from "./schema.ts";

export const HOSTED_APP_PROVIDER = "hosted-app";

/** The owner of `takenEmail` can claim the account by resetting the password. */
type Accepted = { ok: true; userId: string } | Failure | (Failure & { takenEmail: string });

/** Of concurrent uses of a token one succeeds. Failures: 401 used before; 403 address not confirmed on one of the two sides. */
export function acceptHandoff(db: Database, issuer: string, site: Site, handoff: Handoff): Promise<Accepted> {
  return db.transaction(async (tx) => {
    const { accountId, jti, expiresAt } = handoff;
    const token = { tokenHash: hashSecret(`${issuer}\n${jti}`), expiresAt };
    const { rowCount } = await tx.insert(handoffs).values(token).onConflictDoNothing();
    if (!rowCount) return BAD_HANDOFF;
    // Two tokens of one new user must not create two accounts.
    await tx.execute(
      sql`SELECT pg_advisory_xact_lock(hashtextextended(${`${HOSTED_APP_PROVIDER} ${accountId}`}, 0))`,
    );
    const accept = () => findOrCreateUser(tx, site, handoff);
    // `null` when another sign-up takes the address between the SELECT and the INSERT.
    return (await accept()) ?? (await accept()) ?? BAD_HANDOFF;
  });
}

/** An hour more, for clock skew. */
export const EXPIRED_HANDOFFS: ExpiredRows = {
  table: handoffs,
  condition: sql`${handoffs.expiresAt} < now() - interval '1 hour'`,
};

const ADDRESS_UNCONFIRMED_THERE =
  "Your email address isn’t confirmed in the app yet. Confirm it, then log in there again.";
const ADDRESS_UNCONFIRMED_HERE =
  "Someone opened an account with your email address here and never confirmed it. We’ve emailed you a link: choose a new password to make the account yours, then log in to the app again.";

/**
 * By address only if both sides have confirmed it: a stranger's account here would receive their plan.
 * @returns `null` when another account has just taken the address
 */
async function findOrCreateUser(tx: Queryable, site: Site, handoff: Handoff): Promise<Accepted | null> {
  const { accountId, email, isEmailVerified, name, image } = handoff;
  const identity = { provider: HOSTED_APP_PROVIDER, accountId };
  const known = await findIdentityOwner(tx, identity);
  if (known) return { ok: true, userId: known };
  if (email === null || !isEmailVerified) return failure(403, ADDRESS_UNCONFIRMED_THERE);
  // Until the commit its address, password and sign-in methods cannot change.
  const [owner] = await tx
    .select()
    .from(user)
    .where(eq(user.email, email.toLowerCase()))
    .for("no key update");
  if (!owner) {
    const userId = await createUser(tx, { email, emailVerified: true, name, image, signIn: identity });
    return userId === null ? null : { ok: true, userId };
  }
  if (!owner.emailVerified) return { ...failure(403, ADDRESS_UNCONFIRMED_HERE), takenEmail: email };
  await connectIdentity(tx, owner.id, identity);
  await enqueueMail(tx, site, connectedMessage(owner.email, providerName(HOSTED_APP_PROVIDER), site));
  return { ok: true, userId: owner.id };
}
