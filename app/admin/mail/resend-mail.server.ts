import { eq, sql } from "drizzle-orm";
import { user } from "../../auth/schema.ts";
import { resendLink } from "../../auth/support-actions.server.ts";
import { resendNotice } from "../../billing/notices/resend-receipt.server.ts";
import { resendAnswer } from "../../contact/answer.server.ts";
import type { Queryable } from "../../db/client.server.ts";
import type { App } from "../../http/context.server.ts";
import type { TooManyRequests } from "../../limits/rate-limit.server.ts";
import type { ListedMail } from "../../mail/mails.server.ts";
import type { Operator } from "../operator.server.ts";

/** `not_kept`: its text is not stored, and cannot be written anew. */
export type MailResending = "sent" | "not_needed" | "not_kept" | "payments_off" | "stripe_away";

/** Sends a mail again, written anew because texts are not stored. Failures: 429 too many to this user. */
export async function resendMail(
  app: Pick<App, "config" | "db" | "log" | "payments">,
  operator: Operator,
  { recipient, about }: Pick<ListedMail, "recipient" | "about">,
): Promise<MailResending | TooManyRequests> {
  if (!about) return "not_kept";
  const [kind, id = ""] = about.split(":");
  if (kind === "answer" || kind === "quoted_answer") {
    const { db, config } = app;
    const isSent = await resendAnswer(db, config.site, operator, id, kind === "quoted_answer");
    return isSent ? "sent" : "not_kept";
  }
  const ownerId = await findOwner(app.db, recipient);
  if (!ownerId) return "not_kept";
  const sent =
    about === "confirmation" || about === "new_password"
      ? await resendLink(app, operator, ownerId, about)
      : await resendNotice(app, operator, ownerId, (notice) => notice.about === about);
  return sent === "no_receipt" || sent === "no_account" ? "not_kept" : sent;
}

/** @returns the id of the account with this address */
export async function findOwner(db: Queryable, recipient: string): Promise<string | null> {
  const [owner] = await db
    .select({ id: user.id })
    .from(user)
    .where(eq(sql`lower(${user.email})`, recipient));
  return owner?.id ?? null;
}
