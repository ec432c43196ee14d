import { asc, eq, sql } from "drizzle-orm";
import type { Database, Queryable } from "../../db/client.server.ts";
import {
  checkoutAttempts,
  contactMessages,
  customers,
  grants,
  redeemedAddresses,
  session,
  stripeSubscriptions,
  user,
  waitlist,
} from "../../db/schema.ts";
import { currentSubscription } from "../../entitlements/subscription.server.ts";
import { deviceOf } from "./device.ts";
import { readWaysIn } from "./ways-in.server.ts";

/**
 * Everything that is kept about a user, as of one moment, and nothing that would let its reader act as them: no hash,
 * no token, no link. What came from the same address without signing in is there once the address is confirmed;
 * before that it may be somebody else's.
 */
export function exportAccount(db: Database, userId: string) {
  return db.transaction(
    async (tx) => {
      const { hasPassword, connections } = await readWaysIn(tx, userId);
      const [profile] = await tx.select().from(user).where(eq(user.id, userId));
      return {
        profile,
        waysIn: { hasPassword, connected: connections.map(({ provider, since }) => ({ provider, since })) },
        sessions: await sessionsOf(tx, userId),
        subscription: await currentSubscription(tx, userId),
        promoCodes: await grantsOf(tx, userId),
        payments: await paymentsOf(tx, userId),
        ...(profile?.emailVerified && (await fromAddress(tx, profile.email))),
      };
    },
    { isolationLevel: "repeatable read", accessMode: "read only" },
  );
}

async function sessionsOf(tx: Queryable, userId: string) {
  const rows = await tx
    .select({
      signedInAt: session.createdAt,
      lastSeenAt: session.updatedAt,
      expiresAt: session.expiresAt,
      confirmedAt: session.confirmedAt,
      ipAddress: session.ipAddress,
      userAgent: session.userAgent,
    })
    .from(session)
    .where(eq(session.userId, userId))
    .orderBy(asc(session.createdAt));
  return rows.map((row) => ({ ...row, device: deviceOf(row.userAgent) }));
}

function grantsOf(tx: Queryable, userId: string) {
  return tx
    .select({
      code: grants.promoCode,
      source: grants.source,
      tier: grants.tier,
      redeemedAt: grants.createdAt,
      expiresAt: grants.expiresAt,
      revokedAt: grants.revokedAt,
      /** Of each address the account had before: see once-per-person.server.ts. */
      formerEmailHashes: sql<string[]>`array(
        SELECT email_hash FROM ${redeemedAddresses} WHERE grant_id = ${grants.id} ORDER BY created_at)`,
    })
    .from(grants)
    .where(eq(grants.userId, userId))
    .orderBy(asc(grants.createdAt));
}

async function paymentsOf(tx: Queryable, userId: string) {
  const [customer] = await tx.select().from(customers).where(eq(customers.userId, userId));
  const subscriptions = await tx
    .select({
      id: stripeSubscriptions.id,
      price: stripeSubscriptions.priceId,
      tier: stripeSubscriptions.tier,
      status: stripeSubscriptions.status,
      startedAt: stripeSubscriptions.startedAt,
      currentPeriodEnd: stripeSubscriptions.currentPeriodEnd,
      cancelAt: stripeSubscriptions.cancelAt,
    })
    .from(stripeSubscriptions)
    .where(eq(stripeSubscriptions.userId, userId))
    .orderBy(asc(stripeSubscriptions.startedAt));
  const paymentPages = await tx
    .select({
      session: checkoutAttempts.sessionId,
      price: checkoutAttempts.priceId,
      openedAt: checkoutAttempts.createdAt,
      returnedAt: checkoutAttempts.returnedAt,
      status: checkoutAttempts.status,
    })
    .from(checkoutAttempts)
    .where(eq(checkoutAttempts.userId, userId))
    .orderBy(asc(checkoutAttempts.createdAt));
  return { stripeCustomer: customer?.stripeCustomerId ?? null, subscriptions, paymentPages };
}

async function fromAddress(tx: Queryable, email: string) {
  const [place] = await tx
    .select({
      name: waitlist.name,
      usesToday: waitlist.usesToday,
      referralCode: waitlist.referralCode,
      wasReferred: sql<boolean>`${waitlist.referredBy} IS NOT NULL`,
      joinedAt: waitlist.createdAt,
      confirmedAt: waitlist.confirmedAt,
      confirmBy: waitlist.confirmBy,
      emailsAskedFor: waitlist.sends,
      lastEmailAt: waitlist.sentAt,
    })
    .from(waitlist)
    .where(eq(waitlist.email, email));
  const messages = await tx
    .select({
      name: contactMessages.name,
      email: contactMessages.email,
      topic: contactMessages.topic,
      message: contactMessages.message,
      sentAt: contactMessages.createdAt,
    })
    .from(contactMessages)
    .where(eq(sql`lower(${contactMessages.email})`, email))
    .orderBy(asc(contactMessages.createdAt));
  return { waitlist: place ?? null, messages };
}
