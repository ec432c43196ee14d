import { and, desc, eq, getTableColumns, gt, ne, sql } from "drizzle-orm";
import type { Database, Queryable } from "../db/client.server.ts";
import type { ExpiredRows } from "../db/delete-batches.server.ts";
import type { App } from "../http/context.server.ts";
import { createSecretToken, hashSecret } from "../http/secret-token.server.ts";
import type { PlainLimit } from "../limits/limit.ts";
import { type TooManyRequests, withLimit } from "../limits/rate-limit.server.ts";
import { enqueueMail } from "../mail/enqueue-mail.server.ts";
import { defineJob, enqueue } from "../outbox/outbox.server.ts";
import type { Site } from "../ui/site.ts";
import { AUTH_LIMITS } from "./limits.ts";
import {
  LINK_HOURS,
  type MailLinkPurpose,
  pausedMessage,
  resetMessage,
  verificationMessage,
} from "./messages.ts";
import { mailLinks, user } from "./schema.ts";
import { lockUser } from "./users.server.ts";

/** A form may be sent twice, and only the second answer is seen. */
const USED_MINUTES = 5;

/** The address is what the link proves. */
interface MailLink {
  userId: string;
  email: string;
  /** A path of this site. Not in the mail, because a stranger may have requested it. */
  returnTo?: string | null;
}

type WrittenLink = NonNullable<Awaited<ReturnType<typeof readMailLink>>>;

/** Earlier links stay valid. @returns its token */
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

/** `null`: expired, used a while ago or unknown. */
export async function readMailLink(db: Queryable, purpose: MailLinkPurpose, token: string | null) {
  const [link] = await db
    .select({ ...getTableColumns(mailLinks), isUsed: sql<boolean>`${mailLinks.usedAt} IS NOT NULL` })
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

/** With its user locked: concurrent uses wait here, and then find it used. */
export async function lockMailLink(tx: Queryable, purpose: MailLinkPurpose, token: string | null) {
  const written = await readMailLink(tx, purpose, token);
  const owner = written && (await lockUser(tx, written.userId));
  const link = owner && (await readMailLink(tx, purpose, token));
  return link ? { link, owner } : null;
}

/** Deletes the user's other links: all, or those of its kind. */
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
  const isOther = and(eq(mailLinks.userId, userId), ne(mailLinks.tokenHash, tokenHash));
  await tx.delete(mailLinks).where(others === "all" ? isOther : and(isOther, eq(mailLinks.purpose, purpose)));
}

export const EXPIRED_MAIL_LINKS: ExpiredRows = {
  table: mailLinks,
  condition: sql`${mailLinks.expiresAt} < now()`,
};

/** Without `returnTo` the link leads where the previous one does. */
export async function sendVerification(
  tx: Queryable,
  site: Site,
  { id, email, returnTo }: { id: string; email: string; returnTo?: string },
): Promise<void> {
  const link = { userId: id, email, returnTo: returnTo ?? (await findReturnTo(tx, id)) };
  const token = await createMailLink(tx, "verify_email", link);
  await enqueueMail(tx, site, verificationMessage({ email, token }, site), { about: "confirmation" });
}

async function findReturnTo(tx: Queryable, userId: string): Promise<string | null> {
  const [link] = await tx
    .select({ returnTo: mailLinks.returnTo })
    .from(mailLinks)
    .where(and(eq(mailLinks.userId, userId), eq(mailLinks.purpose, "verify_email")))
    .orderBy(desc(mailLinks.createdAt))
    .limit(1);
  return link?.returnTo ?? null;
}

/**
 * Nested, so that what the limit of an address refuses counts against the client.
 * @param limit by address
 * @returns what `send` returns. Failures: 429 too many to an address, or by this client
 */
export async function sendWithinLimits<Done>(
  app: Pick<App, "config" | "db" | "log">,
  limit: PlainLimit,
  client: string,
  [email, ...others]: string[],
  send: () => Promise<Done>,
): Promise<Done | TooManyRequests> {
  if (email === undefined) return send();
  return withLimit(app, AUTH_LIMITS.mailByClient, client, () =>
    withLimit(app, limit, email.toLowerCase(), () => sendWithinLimits(app, limit, client, others, send)),
  );
}

interface OwnerNotification {
  notice: "reset" | "paused";
  email: string;
  /** A path of this site. */
  returnTo?: string;
}

export const NOTIFY_OWNER = defineJob<OwnerNotification>("notify_owner");

/** The job looks up the account, so that neither answer nor time reveals whether there is one. */
export async function notifyOwner(
  app: Pick<App, "db">,
  notice: OwnerNotification["notice"],
  email: string,
  returnTo?: string,
): Promise<void> {
  await enqueue(app.db, NOTIFY_OWNER, { notice, email: email.toLowerCase(), returnTo });
}

/** If there is an account. Safe to repeat: at worst its reader has two working links. */
export async function writeOwnerMail(
  db: Database,
  site: Site,
  { notice, email, returnTo }: OwnerNotification,
): Promise<void> {
  await db.transaction(async (tx) => {
    const [owner] = await tx.select({ id: user.id }).from(user).where(eq(user.email, email));
    if (!owner) return;
    const token = await createMailLink(tx, "reset_password", { userId: owner.id, email, returnTo });
    if (notice === "paused") await enqueueMail(tx, site, pausedMessage({ email, token }, site));
    else await enqueueMail(tx, site, resetMessage({ email, token }, site), { about: "new_password" });
  });
}
