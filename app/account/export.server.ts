import { asc, eq, sql } from "drizzle-orm";
import { BY_PASSWORD } from "../auth/passwords.server.ts";
import {
  account,
  authenticatorApps,
  mailLinks,
  passkeys,
  photos,
  providerFlows,
  recoveryCodes,
  session,
  user,
} from "../auth/schema.ts";
import { deviceOf } from "../auth/sessions.server.ts";
import { savedCategories } from "../categories/schema.ts";
import { contactMessages } from "../contact/schema.ts";
import type { Database, Queryable } from "../db/client.server.ts";
import { currentSubscription } from "../entitlements/subscription.server.ts";
import type { App } from "../http/context.server.ts";
import { mails } from "../mail/schema.ts";
import { changelogMails } from "../news/schema.ts";
import { grants, redeemedAddresses } from "../promo/schema.ts";
import { waitlist } from "../waitlist/schema.ts";
import { paymentsOf } from "./export-payments.server.ts";
import { type OwnRows, rowsOf } from "./own-rows.server.ts";

/** In one snapshot, without secrets. What was sent from an unconfirmed address is left out: it may be a stranger's. */
export function exportAccount(db: Database, userId: string) {
  return db.transaction(
    async (tx) => {
      const [profile] = await tx.select().from(user).where(eq(user.id, userId));
      const own = rowsOf(tx, userId);
      return {
        profile,
        photo: await photoOf(tx, userId),
        signInMethods: await signInMethodsOf(tx, userId),
        sessions: await sessionsOf(tx, userId),
        twoStepSignIn: await secondFactorOf(own),
        signInsUnderWay: await own(providerFlows, providerFlows.createdAt, {
          provider: providerFlows.provider,
          intent: providerFlows.intent,
          returnTo: providerFlows.returnTo,
          outcome: providerFlows.outcome,
          begunAt: providerFlows.createdAt,
          expiresAt: providerFlows.expiresAt,
          usedAt: providerFlows.usedAt,
        }),
        linksInEmails: await own(mailLinks, mailLinks.createdAt, {
          purpose: mailLinks.purpose,
          sentTo: mailLinks.email,
          writtenAt: mailLinks.createdAt,
          expiresAt: mailLinks.expiresAt,
          returnTo: mailLinks.returnTo,
          usedAt: mailLinks.usedAt,
        }),
        subscription: await currentSubscription(tx, userId),
        promoCodes: await own(grants, grants.createdAt, {
          code: grants.promoCode,
          source: grants.source,
          tier: grants.tier,
          redeemedAt: grants.createdAt,
          expiresAt: grants.expiresAt,
          revokedAt: grants.revokedAt,
          daysGiven: grants.daysGiven,
          reason: grants.reason,
          /** For codes that are once per mailbox: once-per-person.server.ts. */
          mailboxHash: grants.mailboxHash,
          /** See once-per-person.server.ts. */
          formerEmailHashes: sql<string[]>`array(
            SELECT email_hash FROM ${redeemedAddresses} WHERE grant_id = grants.id ORDER BY created_at)`,
        }),
        payments: await paymentsOf(tx, userId, own),
        productNews: await own(changelogMails, changelogMails.createdAt, {
          entry: changelogMails.entryId,
          mailedAt: changelogMails.createdAt,
        }),
        categories: await first(
          own(savedCategories, savedCategories.updatedAt, {
            list: savedCategories.categories,
            savedAt: savedCategories.updatedAt,
          }),
        ),
        ...(profile?.emailVerified && (await fromAddress(tx, profile.email))),
      };
    },
    { isolationLevel: "repeatable read", accessMode: "read only" },
  );
}

/** Of a table that has at most one row of a user. */
const first = async (rows: Promise<unknown[]>) => (await rows)[0] ?? null;

/** The uploaded photo, as a link that browsers open. */
async function photoOf(tx: Queryable, userId: string) {
  const [photo] = await tx
    .select({ jpeg: photos.jpeg, savedAt: photos.updatedAt })
    .from(photos)
    .where(eq(photos.userId, userId));
  return photo ? { ...photo, jpeg: `data:image/jpeg;base64,${photo.jpeg.toString("base64")}` } : null;
}

async function signInMethodsOf(tx: Queryable, userId: string) {
  const rows = await tx
    .select({
      provider: account.providerId,
      accountId: account.accountId,
      since: account.createdAt,
      changedAt: account.updatedAt,
    })
    .from(account)
    .where(eq(account.userId, userId))
    .orderBy(asc(account.createdAt));
  const password = rows.find(({ provider }) => provider === BY_PASSWORD);
  return {
    hasPassword: password !== undefined,
    passwordSince: password?.since ?? null,
    passwordChangedAt: password?.changedAt ?? null,
    connected: rows
      .filter(({ provider }) => provider !== BY_PASSWORD)
      .map(({ provider, accountId, since }) => ({ provider, accountId, since })),
  };
}

async function sessionsOf(tx: Queryable, userId: string) {
  const rows = await tx
    .select({
      signedInAt: session.createdAt,
      lastSeenAt: session.updatedAt,
      expiresAt: session.expiresAt,
      confirmedAt: session.confirmedAt,
      waitsForSecondStep: session.needsSecondFactor,
      secondStepAt: session.secondFactorAt,
      userAgent: session.userAgent,
    })
    .from(session)
    .where(eq(session.userId, userId))
    .orderBy(asc(session.createdAt));
  return rows.map((row) => ({ ...row, device: deviceOf(row.userAgent) }));
}

/** Without the app's secret, and without the hash of a code. */
async function secondFactorOf(own: OwnRows) {
  return {
    authenticatorApp: await first(
      own(authenticatorApps, authenticatorApps.createdAt, {
        begunAt: authenticatorApps.createdAt,
        since: authenticatorApps.confirmedAt,
      }),
    ),
    passkeys: await own(passkeys, passkeys.createdAt, {
      id: passkeys.id,
      name: passkeys.name,
      publicKey: passkeys.publicKey,
      transports: passkeys.transports,
      since: passkeys.createdAt,
      lastUsedAt: passkeys.lastUsedAt,
    }),
    recoveryCodes: await own(recoveryCodes, recoveryCodes.createdAt, {
      madeAt: recoveryCodes.createdAt,
      usedAt: recoveryCodes.usedAt,
    }),
  };
}

async function fromAddress(tx: Queryable, email: string) {
  const [place] = await tx
    .select({
      email: waitlist.email,
      name: waitlist.name,
      usesToday: waitlist.usesToday,
      referralCode: waitlist.referralCode,
      wasReferred: sql<boolean>`${waitlist.referredBy} IS NOT NULL`,
      place: sql<string | null>`${waitlist.ticket}::text`,
      joinedAt: waitlist.createdAt,
      confirmedAt: waitlist.confirmedAt,
      confirmBy: waitlist.confirmBy,
      emailsAskedFor: waitlist.sends,
      lastEmailAt: waitlist.sentAt,
      invitedAt: waitlist.invitedAt,
      code: waitlist.promoCode,
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
      answeredAt: contactMessages.answeredAt,
      answer: contactMessages.answer,
    })
    .from(contactMessages)
    .where(eq(sql`lower(${contactMessages.email})`, email))
    .orderBy(asc(contactMessages.createdAt));
  const emails = await tx
    .select({
      to: mails.recipient,
      subject: mails.subject,
      writtenAt: mails.queuedAt,
      sentAt: mails.sentAt,
      givenUpAt: mails.givenUpAt,
      failure: mails.failure,
    })
    .from(mails)
    .where(eq(mails.recipient, email))
    .orderBy(asc(mails.id));
  return { waitlist: place ?? null, messages, emails };
}

export async function exportFile(app: Pick<App, "config" | "db">, userId: string): Promise<Response> {
  const { product } = app.config.site;
  const exportedAt = new Date();
  const body = { product, exportedAt, ...(await exportAccount(app.db, userId)) };
  return new Response(`${JSON.stringify(body, null, 2)}\n`, {
    headers: {
      "Content-Type": "application/json; charset=utf-8",
      "Content-Disposition": `attachment; filename="${fileName(product, exportedAt)}"`,
      "Cache-Control": "no-store",
    },
  });
}

/** Safe in any file system and header. */
function fileName(product: string, at: Date): string {
  const name = product
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");
  return `${[name, "account", at.toISOString().slice(0, 10)].filter(Boolean).join("-")}.json`;
}
