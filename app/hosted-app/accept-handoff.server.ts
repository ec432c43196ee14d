import { eq, sql } from "drizzle-orm";
import { connectedMessage } from "../auth/account-notices.ts";
import { createUser } from "../auth/create-user.server.ts";
import { connectIdentity, findIdentityOwner } from "../auth/identity-owner.server.ts";
import { providerName } from "../auth/providers/provider-names.ts";
import { user } from "../auth/schema.ts";
import type { Database, Queryable } from "../db/client.server.ts";
import { deleteInBatches } from "../db/delete-batches.server.ts";
import { type Failure, failure } from "../http/errors.ts";
import { hashSecret } from "../http/secret-token.server.ts";
import { enqueueMail } from "../mail/enqueue-mail.server.ts";
import type { Site } from "../ui/site.ts";
import { decideHandoff } from "./decide-handoff.ts";
import type { HandedOver, TokenUse } from "./handoff-token.ts";
import { BAD_HANDOFF } from "./hosted-app.server.ts";
import { handoffs } from "./schema.ts";

/** The hosted app among the ways in of a user. */
export const PROVIDER = "hosted-app";

/** Refused because somebody who never confirmed the address has an account with it: its reader may reset the password. */
export interface AddressTaken extends Failure {
  takenEmail: string;
}

type Accepted = { ok: true; userId: string } | Failure | AddressTaken;

/**
 * Uses a verified token up and finds whom it hands over, or makes them. Of any number of uses at once one gets in: the
 * others wait for its row, and find it there.
 *
 * Failures: 401 used before; 403 an address that one of the two sides has not confirmed.
 */
export function acceptHandoff(
  db: Database,
  issuer: string,
  site: Site,
  handoff: HandedOver & TokenUse,
): Promise<Accepted> {
  return db.transaction(async (tx) => {
    if (!(await useUp(tx, issuer, handoff))) return BAD_HANDOFF;
    // Two tokens of one person who is new here must not make two of them.
    await tx.execute(
      sql`SELECT pg_advisory_xact_lock(hashtextextended(${`${PROVIDER} ${handoff.accountId}`}, 0))`,
    );
    // Somebody may sign up with the address between our look and our insert; then the next look sees them.
    return (
      (await findOrMakeUser(tx, site, handoff)) ?? (await findOrMakeUser(tx, site, handoff)) ?? BAD_HANDOFF
    );
  });
}

/** Deletes the tokens that nobody can use again anyway. */
export async function deleteExpiredHandoffs(db: Queryable): Promise<void> {
  // An hour longer than they live, for clocks that differ.
  await deleteInBatches(db, handoffs, sql`${handoffs.expiresAt} < now() - interval '1 hour'`);
}

async function useUp(tx: Queryable, issuer: string, { jti, expiresAt }: TokenUse): Promise<boolean> {
  const tokenHash = hashSecret(`${issuer}\n${jti}`);
  const used = await tx
    .insert(handoffs)
    .values({ tokenHash, expiresAt })
    .onConflictDoNothing()
    .returning({ tokenHash: handoffs.tokenHash });
  return used.length === 1;
}

/** @returns `null` when somebody else has taken the address meanwhile */
async function findOrMakeUser(tx: Queryable, site: Site, handedOver: HandedOver): Promise<Accepted | null> {
  const { accountId, email, name, image } = handedOver;
  const identity = { provider: PROVIDER, accountId };
  const decision = decideHandoff(handedOver, {
    accountOwnerId: await findIdentityOwner(tx, identity),
    addressOwner: email === null ? null : await findAddressOwner(tx, email),
  });
  switch (decision.do) {
    case "refuse":
      return decision.isTaken && email !== null
        ? { ...failure(403, decision.message), takenEmail: email }
        : failure(403, decision.message);
    case "sign-in":
      return { ok: true, userId: decision.userId };
    case "connect":
      await connectIdentity(tx, decision.userId, identity);
      await enqueueMail(tx, site, connectedMessage(decision.email, providerName(PROVIDER), site));
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

/** Until the end of the transaction the address stays theirs, and nobody resets or connects anything. */
async function findAddressOwner(tx: Queryable, email: string) {
  const [found] = await tx
    .select({ id: user.id, email: user.email, emailVerified: user.emailVerified })
    .from(user)
    .where(eq(user.email, email.toLowerCase()))
    .for("no key update");
  return found ?? null;
}
