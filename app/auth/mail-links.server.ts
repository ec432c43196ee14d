import { and, eq, gt, ne, sql } from "drizzle-orm";
import type { Queryable } from "../db/client.server.ts";
import type { Outlived } from "../db/delete-batches.server.ts";
import { createSecretToken, hashSecret } from "../http/secret-token.server.ts";
import { LINK_HOURS, type MailLinkPurpose } from "./link-messages.ts";
import { lockUser } from "./lock-user.server.ts";
import { mailLinks } from "./schema.ts";

/** A form may be sent twice, and only the second answer is seen: used links stay known this long. */
const USED_MINUTES = 5;

/** The user a link is for, and the address that having it proves. */
export interface MailLink {
  userId: string;
  email: string;
  /** A path of this site. Not part of the mail, because a stranger may have asked for it. */
  returnTo?: string | null;
}

export interface WrittenLink extends MailLink {
  tokenHash: string;
  purpose: MailLinkPurpose;
  isUsed: boolean;
}

/** Writes a link in the caller's own transaction. Links written earlier go on working. @returns its token */
export async function createMailLink(
  tx: Queryable,
  purpose: MailLinkPurpose,
  { userId, email, returnTo }: MailLink,
): Promise<string> {
  const token = createSecretToken();
  await tx.insert(mailLinks).values({
    tokenHash: hashSecret(token),
    purpose,
    userId,
    email: email.toLowerCase(),
    returnTo,
    expiresAt: sql`now() + make_interval(hours => ${LINK_HOURS[purpose]}::int)`,
  });
  return token;
}

/** The link with this token; `null` when it is expired, was used a while ago or was never written. */
export async function readMailLink(
  db: Queryable,
  purpose: MailLinkPurpose,
  token: string | null,
): Promise<WrittenLink | null> {
  const [link] = await db
    .select({
      userId: mailLinks.userId,
      email: mailLinks.email,
      returnTo: mailLinks.returnTo,
      tokenHash: mailLinks.tokenHash,
      purpose: mailLinks.purpose,
      isUsed: sql<boolean>`${mailLinks.usedAt} IS NOT NULL`,
    })
    .from(mailLinks)
    .where(
      and(
        eq(mailLinks.tokenHash, hashSecret(token ?? "")),
        eq(mailLinks.purpose, purpose),
        gt(mailLinks.expiresAt, sql`now()`),
      ),
    );
  return link ?? null;
}

/**
 * Finds a link in the caller's own transaction and locks the row of its user, as every change of their links does: of any
 * number of uses at once the others wait here, and then find it used.
 *
 * @returns the link and its user as they are now; `null` when it is expired, was used a while ago or was never written
 */
export async function lockMailLink(tx: Queryable, purpose: MailLinkPurpose, token: string | null) {
  const written = await readMailLink(tx, purpose, token);
  const owner = written && (await lockUser(tx, written.userId));
  const link = owner && (await readMailLink(tx, purpose, token));
  return link ? { link, owner } : null;
}

/** Marks a link that was locked as used, and deletes the user's others: all of them, or those of its kind. */
export async function markLinkUsed(
  tx: Queryable,
  { tokenHash, userId, purpose }: WrittenLink,
  others: "all" | "its kind",
): Promise<void> {
  await tx
    .update(mailLinks)
    .set({
      usedAt: sql`now()`,
      expiresAt: sql`least(${mailLinks.expiresAt}, now() + make_interval(mins => ${USED_MINUTES}::int))`,
    })
    .where(eq(mailLinks.tokenHash, tokenHash));
  await tx
    .delete(mailLinks)
    .where(
      and(
        eq(mailLinks.userId, userId),
        ne(mailLinks.tokenHash, tokenHash),
        others === "all" ? undefined : eq(mailLinks.purpose, purpose),
      ),
    );
}

export const EXPIRED_MAIL_LINKS: Outlived = {
  table: mailLinks,
  condition: sql`${mailLinks.expiresAt} < now()`,
};
