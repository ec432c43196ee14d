import { eq } from "drizzle-orm";
import type { Database } from "../db/client.server.ts";
import type { App } from "../http/context.server.ts";
import { enqueueMail } from "../mail/enqueue-mail.server.ts";
import { defineJob, enqueue } from "../outbox/outbox.server.ts";
import type { Site } from "../ui/site.ts";
import { pausedMessage, resetMessage } from "./link-messages.ts";
import { createMailLink } from "./mail-links.server.ts";
import { user } from "./schema.ts";

/** Why the owner of an address is written to: a password reset was asked for, or password tries were paused. */
export type OwnerNotice = "reset" | "paused";

interface OwnerNotification {
  notice: OwnerNotice;
  email: string;
  /** Where the owner was going when they asked, a path of this site. */
  returnTo?: string;
}

export const NOTIFY_OWNER = defineJob<OwnerNotification>("notify_owner");

/**
 * Queues a mail to the owner of an address. The job looks up whether there is an account, so that the request's answer and
 * its time are the same either way.
 */
export async function notifyOwner(
  app: Pick<App, "db">,
  notice: OwnerNotice,
  email: string,
  returnTo?: string,
): Promise<void> {
  await enqueue(app.db, NOTIFY_OWNER, { notice, email: email.toLowerCase(), returnTo });
}

/** Writes the mail, if there is an account. Safe to repeat: at worst its reader has two links that work. */
export async function writeOwnerMail(
  db: Database,
  site: Site,
  { notice, email, returnTo }: OwnerNotification,
): Promise<void> {
  await db.transaction(async (tx) => {
    const [owner] = await tx.select({ id: user.id }).from(user).where(eq(user.email, email));
    if (!owner) return;
    const token = await createMailLink(tx, "reset_password", { userId: owner.id, email, returnTo });
    const message = { reset: resetMessage, paused: pausedMessage }[notice];
    await enqueueMail(tx, site, message({ email, token }, site));
  });
}
