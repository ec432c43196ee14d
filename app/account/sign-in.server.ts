import { and, eq } from "drizzle-orm";
import { fromContext } from "../context.server.ts";
import type { Queryable } from "../db/client.server.ts";
import { account, session } from "../db/schema.ts";
import { type Failure, failure } from "../http/errors.ts";
import { LIMITS } from "../http/limits.ts";
import { takeTurn } from "../http/rate-limit.server.ts";
import { tooMany } from "../http/too-many.server.ts";
import { BY_PASSWORD, checkPassword, findPasswordByEmail, type KeptPassword } from "./passwords.server.ts";
import { noticeOwner } from "./reset-password.server.ts";
import { openSession, type RouteArgs } from "./session.server.ts";

const WRONG = "This email address and password do not belong together. Check both and try again.";

/**
 * Opens a session for whoever knows the address and the password of an account.
 *
 * Failures, the same after the same time whether there is such an account: 400 the two do not belong together; 429 too
 * many tries, of this client or for this account. An account's turn is taken before its password is looked at, so that
 * a thousand clients at once have no more tries than one, and given back when they were let in.
 */
export async function signInWithPassword(
  args: RouteArgs,
  { email, password }: { email: string; password: string },
): Promise<{ ok: true } | Failure> {
  const { app, state } = fromContext(args.context);
  const address = email.toLowerCase();
  const byClient = await takeTurn(app, LIMITS.signInByClient, state.client);
  if (!byClient.ok) return tooMany(byClient.waitSeconds);
  const byAccount = await takeTurn(app, LIMITS.signInFailuresByAccount, address);
  if (!byAccount.ok) return tooMany(byAccount.waitSeconds);
  if (await openWithPassword(args, address, password)) {
    await byAccount.giveBack();
    return { ok: true };
  }
  if (byAccount.isLast) await noticeOwner(app, "paused", address);
  return failure(400, WRONG);
}

async function openWithPassword(args: RouteArgs, email: string, password: string): Promise<boolean> {
  const { app, state } = fromContext(args.context);
  const known = await checkPassword(app, await findPasswordByEmail(app.db, email), password);
  if (!known) return false;
  const sessionId = await openSession(args, known.userId);
  if (await isStillTheirs(app.db, known)) return true;
  // Changed while it was being checked. Whoever changed it has ended all sessions there were; this one came after.
  await app.db.delete(session).where(eq(session.id, sessionId));
  state.setCookies.length = 0;
  return false;
}

async function isStillTheirs(db: Queryable, { userId, hash }: KeptPassword): Promise<boolean> {
  const [same] = await db
    .select({ id: account.id })
    .from(account)
    .where(and(eq(account.userId, userId), eq(account.providerId, BY_PASSWORD), eq(account.password, hash)));
  return same !== undefined;
}
