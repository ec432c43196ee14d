import { and, eq } from "drizzle-orm";
import { type Actor, recordChange } from "../audit/record-change.server.ts";
import type { Database } from "../db/client.server.ts";
import type { App } from "../http/context.server.ts";
import { type TooManyRequests, withLimit } from "../limits/rate-limit.server.ts";
import { enqueueMail } from "../mail/enqueue-mail.server.ts";
import { AUTH_LIMITS } from "./limits.ts";
import { createMailLink, sendVerification } from "./mail-links.server.ts";
import { resetMessage } from "./messages.ts";
import { mailLinks, session } from "./schema.ts";
import { lockUser } from "./users.server.ts";

/** Also ends a pending change of address. @returns how many sessions ended */
export async function signOutEverywhere(db: Database, actor: Actor, userId: string): Promise<number> {
  return db.transaction(async (tx) => {
    await lockUser(tx, userId);
    const ended = await tx.delete(session).where(eq(session.userId, userId)).returning({ id: session.id });
    const links = await tx
      .delete(mailLinks)
      .where(and(eq(mailLinks.userId, userId), eq(mailLinks.purpose, "change_email")))
      .returning({ purpose: mailLinks.purpose });
    if (ended.length + links.length === 0) return 0;
    await recordChange(tx, actor, {
      action: "user.signed_out",
      subject: `user:${userId}`,
      before: { sessions: ended.length, addressChanges: links.length },
      after: { sessions: 0, addressChanges: 0 },
    });
    return ended.length;
  });
}

/** `not_needed`: the address is confirmed. */
type Resending = "sent" | "not_needed" | "no_account";

/** Earlier links go on working. Failures: 429 too many to this user. */
export async function resendLink(
  app: Pick<App, "config" | "db" | "log">,
  actor: Actor,
  userId: string,
  link: "confirmation" | "new_password",
): Promise<Resending | TooManyRequests> {
  const { config, db } = app;
  return withLimit(app, AUTH_LIMITS.mailByOperator, userId, () =>
    db.transaction(async (tx) => {
      const owner = await lockUser(tx, userId);
      if (!owner) return "no_account";
      const { email } = owner;
      if (link === "confirmation") {
        if (owner.emailVerified) return "not_needed";
        await sendVerification(tx, config.site, { id: userId, email });
      } else {
        const token = await createMailLink(tx, "reset_password", { userId, email });
        await enqueueMail(tx, config.site, resetMessage({ email, token }, config.site), { about: link });
      }
      await recordChange(tx, actor, {
        action: "user.mail_sent",
        subject: `user:${userId}`,
        after: { mail: link },
      });
      return "sent";
    }),
  );
}
