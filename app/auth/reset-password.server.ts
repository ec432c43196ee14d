import { eq, sql } from "drizzle-orm";
import type { Database, Queryable } from "../db/client.server.ts";
import type { App } from "../http/context.server.ts";
import type { Failure, FieldFailure } from "../http/errors.ts";
import { resetLimit } from "../limits/rate-limit.server.ts";
import { enqueueMail } from "../mail/enqueue-mail.server.ts";
import { passwordChangedMessage } from "./account-notices.ts";
import type { UserHooks } from "./create-user.server.ts";
import { networkOf, rememberNetwork } from "./known-networks.server.ts";
import { AUTH_LIMITS } from "./limits.ts";
import { lockMailLink, markLinkUsed, readMailLink } from "./mail-links.server.ts";
import { hashPassword } from "./password-hash.server.ts";
import { judgeNewPassword } from "./password-rules.server.ts";
import { tryPassword } from "./password-tries.server.ts";
import { checkPassword, findPasswordOf, type StoredPassword, setPassword } from "./passwords.server.ts";
import { account, authenticatorApps, passkeys, recoveryCodes, session, user } from "./schema.ts";
import { readSignInMethods } from "./sign-in-methods.server.ts";

/** The account whose password a link may set, as far as the link's page shows it; `null` for a dead link. */
export async function readResetAccount(db: Database, token: string | null) {
  const link = await readMailLink(db, "reset_password", token);
  if (!link || link.isUsed) return null;
  const { userId, email } = link;
  const [owner] = await db.select({ isVerified: user.emailVerified }).from(user).where(eq(user.id, userId));
  const { connections } = await readSignInMethods(db, userId);
  return owner
    ? { id: userId, email, ...owner, providers: connections.map(({ provider }) => provider) }
    : null;
}

type ResettingApp = Pick<App, "config" | "db" | "log" | "userHooks">;

interface Choice {
  password: string;
  /** Whether connected providers are disconnected. */
  disconnects: boolean;
  /** What its reader calls themselves, asked while nobody had confirmed the address. */
  name?: string;
  /** Who is signed in where the link was opened: on an account of their own they gave the name themselves. */
  signedInAs: string | null;
}

/** A password that was reset by a link. */
export interface Reset {
  ok: true;
  email: string;
  password: StoredPassword;
  /** Where the reader of the mail was going when it was asked for. */
  returnTo: string | null;
}

/**
 * Gives an account the password that the reader of its mail chose. Having the link proves the address; every session ends,
 * and so do all other links and an open payment page, because they may be somebody else's. While nobody had confirmed the
 * address, the whole account may be: then every other sign-in method ends, and the photo goes, and the name unless its
 * reader gave it.
 *
 * @param client as the limits count it
 * @returns the password that its reader may be signed in with; `null` when the link is used up or expired; of any number of uses one succeeds
 * Failures: 400 of the field `password`: it will not do; 429 too many by this client.
 */
export async function resetPassword(
  app: ResettingApp,
  client: string,
  token: string | null,
  choice: Choice,
): Promise<Reset | Failure | FieldFailure | null> {
  const link = await readMailLink(app.db, "reset_password", token);
  if (!link || link.isUsed) return null;
  const about = { name: choice.name ?? "", email: link.email };
  const judged = await judgeNewPassword(app, client, choice.password, about);
  if (!judged.ok) return judged;
  const owner = await resetByLink(app, token, choice);
  if (!owner) return null;
  const at = { account: owner.email, client };
  await Promise.all([
    resetLimit(app, AUTH_LIMITS.signInFailuresByAccount, owner.email),
    resetLimit(app, AUTH_LIMITS.signInFailuresByNetwork, networkOf(at)),
  ]).catch((error: unknown) => app.log.warn({ error }, "a pause could not be ended; it ends by itself"));
  await rememberNetwork(app, at);
  const { email, password, returnTo } = owner;
  return { ok: true, email, password, returnTo };
}

/** @returns whose account it is, or `null` when the link is used up or expired */
async function resetByLink(
  { config: { site }, db, userHooks }: ResettingApp,
  token: string | null,
  { password, disconnects, name, signedInAs }: Choice,
): Promise<Omit<Reset, "ok"> | null> {
  const passwordHash = await hashPassword(password);
  return db.transaction(async (tx) => {
    const found = await lockMailLink(tx, "reset_password", token);
    // A link to an address that the account no longer has proves nothing.
    if (!found || found.link.isUsed || found.link.email !== found.owner.email) return null;
    const { link, owner } = found;
    await markLinkUsed(tx, link, "all");
    await tx.delete(session).where(eq(session.userId, owner.id));
    if (disconnects || !owner.emailVerified) await tx.delete(account).where(eq(account.userId, owner.id));
    if (!owner.emailVerified)
      await takeOver(tx, userHooks, owner.id, name ?? (signedInAs === owner.id ? undefined : ""));
    await setPassword(tx, owner.id, passwordHash);
    await userHooks.onPasswordReset(tx, owner.id);
    await enqueueMail(tx, site, passwordChangedMessage(owner, site));
    return {
      email: owner.email,
      password: { userId: owner.id, hash: passwordHash },
      returnTo: link.returnTo ?? null,
    };
  });
}

/**
 * The name, the photo and the time zone were given by somebody who never proved the address; the photo also comes from a stranger's server.
 * A name that the reader of the mail gave takes its place, or stays (`undefined`).
 * A second factor is only for confirmed addresses: should there be one all the same, it would lock the owner out. That of an
 * account whose address is confirmed stays, whoever reads its mail.
 */
async function takeOver(
  tx: Queryable,
  { onProfileChanged }: UserHooks,
  userId: string,
  name: string | undefined,
): Promise<void> {
  await tx
    .update(user)
    .set({ emailVerified: true, name, image: null, timeZone: null, updatedAt: sql`now()` })
    .where(eq(user.id, userId));
  await onProfileChanged(tx, userId);
  await tx.delete(authenticatorApps).where(eq(authenticatorApps.userId, userId));
  await tx.delete(passkeys).where(eq(passkeys.userId, userId));
  await tx.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId));
}

/**
 * The password that a link set minutes ago, if it is this one: pressed twice, a form without scripts is sent twice, and only
 * the second answer is seen. A wrong password counts as a try to sign in.
 */
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
  return { ok: true, email: link.email, password: tried.found, returnTo: link.returnTo ?? null };
}
