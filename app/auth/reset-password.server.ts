import { eq, sql } from "drizzle-orm";
import type { Database, Queryable } from "../db/client.server.ts";
import type { App } from "../http/context.server.ts";
import { resetLimit } from "../limits/rate-limit.server.ts";
import { enqueueMail } from "../mail/enqueue-mail.server.ts";
import { AUTH_LIMITS } from "./limits.ts";
import { lockMailLink, markLinkUsed, readMailLink } from "./mail-links.server.ts";
import { passwordChangedMessage } from "./messages.ts";
import { hashPassword } from "./passwords.server.ts";
import { account, session, user } from "./schema.ts";
import { setPassword } from "./set-password.server.ts";
import { readWaysIn } from "./sign-in-methods.server.ts";
import type { UserHooks } from "./user-hooks.server.ts";

/** The account whose password a link may set, as far as the link's page shows it; `null` for a link that is over. */
export async function readResetAccount(db: Database, token: string | null) {
  const link = await readMailLink(db, "reset_password", token);
  if (!link || link.isUsed) return null;
  const { userId, email } = link;
  const [owner] = await db.select({ isVerified: user.emailVerified }).from(user).where(eq(user.id, userId));
  const { connections } = await readWaysIn(db, userId);
  return owner ? { email, ...owner, providers: connections.map(({ provider }) => provider) } : null;
}

/**
 * Gives an account the password that the reader of its mail chose. Having the link proves the address; every session
 * ends, and so do all other links and an open page to pay on, because whoever had those may be somebody else. While nobody
 * had confirmed the address, the whole account may be somebody else's: then every other way in ends, and the name and the
 * photo go, too. Later what is connected goes if the reader says so.
 *
 * @returns whose account it is, or `null` when the link is used up or expired; of any number of uses one gets it
 */
export async function resetPassword(
  app: Pick<App, "auth" | "config" | "db" | "log" | "userHooks">,
  token: string | null,
  { password, disconnects }: { password: string; disconnects: boolean },
): Promise<{ email: string } | null> {
  const passwordHash = await hashPassword(app, password);
  const owner = await app.db.transaction(async (tx) => {
    const found = await lockMailLink(tx, "reset_password", token);
    // A link to an address that is not the account's any more proves nothing.
    if (!found || found.link.isUsed || found.link.email !== found.owner.email) return null;
    const { link, owner } = found;
    await markLinkUsed(tx, link, "all");
    await tx.delete(session).where(eq(session.userId, owner.id));
    if (disconnects || !owner.emailVerified) await tx.delete(account).where(eq(account.userId, owner.id));
    if (!owner.emailVerified) await takeOver(tx, app.userHooks, owner.id);
    await setPassword(tx, owner.id, passwordHash);
    await app.userHooks.onPasswordReset(tx, owner.id);
    await enqueueMail(tx, app.config.site, passwordChangedMessage(owner, app.config.site));
    return owner;
  });
  if (owner)
    await resetLimit(app, AUTH_LIMITS.signInFailuresByAccount, owner.email).catch((error: unknown) =>
      app.log.warn({ error }, "a pause could not be ended; it ends by itself"),
    );
  return owner;
}

/** What was said of a person whose address nobody had proved is not the owner's word; the photo also comes from a stranger's server. */
async function takeOver(tx: Queryable, { onProfileChanged }: UserHooks, userId: string): Promise<void> {
  await tx
    .update(user)
    .set({ emailVerified: true, name: "", image: null, updatedAt: sql`now()` })
    .where(eq(user.id, userId));
  await onProfileChanged(tx, userId);
}
