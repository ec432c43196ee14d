import { and, eq, ne } from "drizzle-orm";
import type { App } from "../../context.server.ts";
import { mailLinks, session } from "../../db/schema.ts";
import { enqueueMail } from "../../mail/message.server.tsx";
import { passwordChangedMessage } from "../messages.ts";
import { findPasswordOf, hashPassword } from "../passwords.server.ts";
import type { Session } from "../session.server.ts";
import { setPassword } from "../set-password.server.ts";
import { confirmPassword } from "./confirm-password.server.ts";
import { passwordSetMessage } from "./messages.ts";
import { lockUser } from "./ways-in.server.ts";

/**
 * Changes a password, or sets the first one; signs everybody else out, and kills the links to reset it.
 *
 * @param current `null` from somebody who was shown that they have none
 * @returns `wrong` when `current` is not the password, also when it was until a moment ago
 */
export async function changePassword(
  app: App,
  { id: sessionId, user: { id: userId } }: Session,
  { current, next }: { current: string | null; next: string },
): Promise<"changed" | "wrong"> {
  const { site } = app.config;
  const confirmed = current === null ? null : await confirmPassword(app, userId, current);
  if (current !== null && !confirmed) return "wrong";
  const passwordHash = await hashPassword(app, next);

  return app.db.transaction(async (tx) => {
    const owner = await lockUser(tx, userId);
    const kept = await findPasswordOf(tx, userId);
    // Changed since it was confirmed, or set since its owner was shown that there is none.
    if (!owner || kept?.hash !== confirmed?.hash) return "wrong";
    await setPassword(tx, userId, passwordHash);
    await tx.delete(session).where(and(eq(session.userId, userId), ne(session.id, sessionId)));
    await tx
      .delete(mailLinks)
      .where(and(eq(mailLinks.userId, userId), eq(mailLinks.purpose, "reset_password")));
    const message = kept ? passwordChangedMessage(owner, site) : passwordSetMessage(owner.email, site);
    await enqueueMail(tx, site, message);
    return "changed";
  });
}
