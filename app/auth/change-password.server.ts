import { and, eq, ne } from "drizzle-orm";
import type { App } from "../http/context.server.ts";
import { type Failure, type FieldFailure, failure } from "../http/errors.ts";
import { enqueueMail } from "../mail/enqueue-mail.server.ts";
import { WRONG_PASSWORD } from "./credentials.ts";
import { passwordChangedMessage, passwordSetMessage } from "./messages.ts";
import { judgeNewPassword } from "./password-rules.server.ts";
import { findPasswordOf, hashPassword, setPassword } from "./passwords.server.ts";
import { mailLinks, session } from "./schema.ts";
import type { Session } from "./sessions.server.ts";
import { confirmPassword } from "./tries.server.ts";
import { lockUser } from "./users.server.ts";

const SAME_PASSWORD = "This is already your password. Choose a different one.";

/**
 * Ends all other sessions, and reset links. The current password is checked first: without it nothing is said of the new one.
 * @param current `null`: the form said that there is none
 * Failures: 400 of the field `current_password` or `password`; 429 too many tries.
 */
export async function changePassword(
  app: App,
  client: string,
  { id: sessionId, user: person }: Session,
  { current, next }: { current: string | null; next: string },
): Promise<{ ok: true } | Failure | FieldFailure> {
  const { site } = app.config;
  const { id: userId } = person;
  const tried = current === null ? null : await confirmPassword(app, client, person, current);
  if (tried && !tried.ok) return tried.status === 400 ? { ...tried, field: "current_password" } : tried;
  if (current === next) return { ...failure(400, SAME_PASSWORD), field: "password" };
  const judged = await judgeNewPassword(app, client, next, person);
  if (!judged.ok) return judged;
  const passwordHash = await hashPassword(next);

  return app.db.transaction(async (tx) => {
    const owner = await lockUser(tx, userId);
    const kept = await findPasswordOf(tx, userId);
    // Changed since it was checked, or set since the form was rendered without one.
    if (!owner || kept?.hash !== tried?.found.hash) {
      return { ...failure(400, WRONG_PASSWORD), field: "current_password" };
    }
    await setPassword(tx, userId, passwordHash);
    await tx.delete(session).where(and(eq(session.userId, userId), ne(session.id, sessionId)));
    await tx
      .delete(mailLinks)
      // The requested change of address may be an intruder's.
      .where(and(eq(mailLinks.userId, userId), ne(mailLinks.purpose, "verify_email")));
    const message = kept ? passwordChangedMessage(owner, site) : passwordSetMessage(owner.email, site);
    await enqueueMail(tx, site, message);
    return { ok: true };
  });
}
