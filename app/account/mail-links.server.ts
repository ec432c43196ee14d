import { randomBytes } from "node:crypto";
import { and, eq, gt, sql } from "drizzle-orm";
import type { Queryable } from "../db/client.server.ts";
import { deleteInBatches } from "../db/delete-batches.server.ts";
import { mailLinks } from "../db/schema.ts";
import { hashOfSecret } from "../db/secret-hash.server.ts";
import { lockUser } from "./lock-user.server.ts";
import { LINK_HOURS, type MailLinkPurpose } from "./mail-link-purposes.ts";

/** Whom a link was written for, and the address that having it proves. */
export interface MailLink {
  userId: string;
  email: string;
}

/** Writes a link in the caller's own transaction. Links written earlier go on working. @returns its token */
export async function createMailLink(
  tx: Queryable,
  purpose: MailLinkPurpose,
  { userId, email }: MailLink,
): Promise<string> {
  const token = randomBytes(32).toString("base64url");
  await tx.insert(mailLinks).values({
    tokenHash: hashOfSecret(token),
    purpose,
    userId,
    email: email.toLowerCase(),
    expiresAt: sql`now() + make_interval(hours => ${LINK_HOURS[purpose]}::int)`,
  });
  return token;
}

/** What a link would do, without doing it; `null` when it is used up, expired or was never written. */
export async function readMailLink(
  db: Queryable,
  purpose: MailLinkPurpose,
  token: string | null,
): Promise<MailLink | null> {
  const [link] = await db.select().from(mailLinks).where(isUsable(purpose, token));
  return link ?? null;
}

/**
 * Uses a link up in the caller's own transaction, with all others of its kind for the same user, whose row it locks. Of
 * any number of uses at once one gets it: the row is taken away by the statement that finds it.
 *
 * @returns the address the link proves and its user as they are; `null` when it is used up, expired or was never written
 */
export async function consumeMailLink(tx: Queryable, purpose: MailLinkPurpose, token: string | null) {
  const written = await readMailLink(tx, purpose, token);
  const owner = written && (await lockUser(tx, written.userId));
  if (!owner) return null;
  const [link] = await tx.delete(mailLinks).where(isUsable(purpose, token)).returning();
  if (!link) return null;
  await tx.delete(mailLinks).where(and(eq(mailLinks.userId, owner.id), eq(mailLinks.purpose, purpose)));
  return { email: link.email, owner };
}

/** Deletes what nobody can use any more. */
export async function deleteExpiredMailLinks(db: Queryable): Promise<void> {
  await deleteInBatches(db, mailLinks, sql`${mailLinks.expiresAt} < now()`);
}

function isUsable(purpose: MailLinkPurpose, token: string | null) {
  return and(
    eq(mailLinks.tokenHash, hashOfSecret(token ?? "")),
    eq(mailLinks.purpose, purpose),
    gt(mailLinks.expiresAt, sql`now()`),
  );
}
