import { and, eq } from "drizzle-orm";
import { fromContext } from "../context.server.ts";
import type { Queryable } from "../db/client.server.ts";
import { account, session } from "../db/schema.ts";
import { BY_PASSWORD, checkPassword, findPasswordByEmail, type KeptPassword } from "./passwords.server.ts";
import { openSession, type RouteArgs } from "./session.server.ts";

/**
 * Opens a session for whoever knows the address and the password of an account.
 *
 * @returns false when they do not belong together: the same, after the same time, whether there is such an account
 */
export async function signInWithPassword(
  args: RouteArgs,
  { email, password }: { email: string; password: string },
): Promise<boolean> {
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
