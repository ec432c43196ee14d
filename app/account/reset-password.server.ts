import { eq, sql } from "drizzle-orm";
import { AUTH_LIMITS } from "../auth/limits.ts";
import { lockMailLink, markLinkUsed, readMailLink } from "../auth/mail-links.server.ts";
import { passwordChangedMessage } from "../auth/messages.ts";
import { judgeNewPassword } from "../auth/password-rules.server.ts";
import {
  checkPassword,
  findPasswordOf,
  hashPassword,
  type StoredPassword,
  setPassword,
} from "../auth/passwords.server.ts";
import { deletePhoto } from "../auth/photos.server.ts";
import { account, session, user } from "../auth/schema.ts";
import { deleteFactors } from "../auth/second-factor/change-factors.server.ts";
import { networkOf, rememberNetwork, tryPassword } from "../auth/tries.server.ts";
import { findUser, readSignInMethods } from "../auth/users.server.ts";
import { enqueueAttemptClosing } from "../billing/checkout-attempt.server.ts";
import { enqueueCustomerUpdate } from "../billing/customer.server.ts";
import { forgetCategories } from "../categories/categories.server.ts";
import type { Database, Queryable } from "../db/client.server.ts";
import type { App } from "../http/context.server.ts";
import type { Failure, FieldFailure } from "../http/errors.ts";
import { resetLimit } from "../limits/rate-limit.server.ts";
import { enqueueMail } from "../mail/enqueue-mail.server.ts";

/** For the link's page; `null`: dead. */
export async function readResetAccount(db: Database, token: string | null) {
  const link = await readMailLink(db, "reset_password", token);
  if (!link || link.isUsed) return null;
  const owner = await findUser(db, link.userId);
  if (!owner) return null;
  const { id, emailVerified: isVerified } = owner;
  const { connections } = await readSignInMethods(db, id);
  return { id, email: link.email, isVerified, providers: connections.map(({ provider }) => provider) };
}

interface Choice {
  password: string;
  disconnects: boolean;
  /** Asked for while the address was unconfirmed. */
  name?: string;
  /** Signed in on their own account, they chose the name themselves. */
  signedInAs: string | null;
}

interface Reset {
  ok: true;
  password: StoredPassword;
  returnTo: string | null;
}

/**
 * The link proves the address. Every session, all other links and an open payment page end, because they may be a stranger's.
 * @returns the password to sign in with; `null`: the link is used up or expired. Failures: 400 of the field `password`; 429 too many by
 * this client.
 */
export async function resetPassword(
  app: App,
  client: string,
  token: string | null,
  choice: Choice,
): Promise<Reset | Failure | FieldFailure | null> {
  const { db } = app;
  const { site } = app.config;
  const { password, disconnects, name, signedInAs } = choice;
  const written = await readMailLink(db, "reset_password", token);
  if (!written || written.isUsed) return null;
  const about = { name: name ?? "", email: written.email };
  const judged = await judgeNewPassword(app, client, password, about);
  if (!judged.ok) return judged;

  const hash = await hashPassword(password);
  const reset = await db.transaction(async (tx): Promise<Reset | null> => {
    const found = await lockMailLink(tx, "reset_password", token);
    // An address that the account no longer has proves nothing.
    if (!found || found.link.isUsed || found.link.email !== found.owner.email) return null;
    const { link, owner } = found;
    await markLinkUsed(tx, link, "all");
    await tx.delete(session).where(eq(session.userId, owner.id));
    if (disconnects || !owner.emailVerified) await tx.delete(account).where(eq(account.userId, owner.id));
    if (!owner.emailVerified)
      await takeOver(tx, owner.id, name ?? (signedInAs === owner.id ? undefined : ""));
    await setPassword(tx, owner.id, hash);
    await enqueueAttemptClosing(tx, owner.id);
    await enqueueMail(tx, site, passwordChangedMessage(owner, site));
    return { ok: true, password: { userId: owner.id, hash }, returnTo: link.returnTo ?? null };
  });
  if (!reset) return null;
  const at = { account: written.email, client };
  await Promise.all([
    resetLimit(app, AUTH_LIMITS.signInFailuresByAccount, at.account),
    resetLimit(app, AUTH_LIMITS.signInFailuresByNetwork, networkOf(at)),
  ]).catch((error: unknown) => app.log.warn({ error }, "a pause could not be ended; it ends by itself"));
  await rememberNetwork(app, at);
  return reset;
}

/** Clears what was entered before the address was proved. A stranger's second factor would lock the owner out. */
async function takeOver(tx: Queryable, userId: string, name: string | undefined): Promise<void> {
  await tx
    .update(user)
    .set({
      emailVerified: true,
      name,
      image: null,
      timeZone: null,
      productNewsSince: null,
      updatedAt: sql`now()`,
    })
    .where(eq(user.id, userId));
  await enqueueCustomerUpdate(tx, userId);
  await forgetCategories(tx, userId);
  await deletePhoto(tx, userId);
  await deleteFactors(tx, userId);
}

/** For a form sent twice. A wrong password counts as a try to sign in. */
export async function findResetBefore(
  app: Pick<App, "config" | "db" | "log">,
  client: string,
  token: string | null,
  password: string,
): Promise<Reset | null> {
  const link = await readMailLink(app.db, "reset_password", token);
  if (!link?.isUsed) return null;
  const tried = await tryPassword(app, { client, email: link.email }, "", async () =>
    checkPassword(app.db, await findPasswordOf(app.db, link.userId), password),
  );
  if (!tried.ok) return null;
  return { ok: true, password: tried.found, returnTo: link.returnTo ?? null };
}
