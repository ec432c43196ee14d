import { and, eq } from "drizzle-orm";
import { fromContext } from "../context.server.ts";
import type { Queryable } from "../db/client.server.ts";
import { account } from "../db/schema.ts";
import { tryPassword } from "./password-tries.server.ts";
import { BY_PASSWORD, checkPassword, findPasswordByEmail, type KeptPassword } from "./passwords.server.ts";
import { endSession, openSession, type RouteArgs } from "./session.server.ts";

const WRONG = "This email address and password do not belong together. Check both and try again.";

/**
 * Opens a session for whoever knows the address and the password of an account.
 *
 * Failures: those of `tryPassword`, after the same time whether there is such an account.
 */
export function signInWithPassword(
  args: RouteArgs,
  { email, password }: { email: string; password: string },
) {
  const { app, state } = fromContext(args.context);
  return tryPassword(app, { client: state.client, email }, WRONG, () =>
    openWithPassword(args, email, password),
  );
}

/** @returns the session's id, or `null` when the two do not belong together */
async function openWithPassword(args: RouteArgs, email: string, password: string): Promise<string | null> {
  const { app, state } = fromContext(args.context);
  const known = await checkPassword(app, await findPasswordByEmail(app.db, email), password);
  if (!known) return null;
  const sessionId = await openSession(args, known.userId);
  if (!sessionId || (await isStillTheirs(app.db, known))) return sessionId;
  // Changed while it was being checked. Whoever changed it has ended all sessions there were; this one came after.
  await endSession(args, sessionId);
  state.setCookies.length = 0;
  return null;
}

async function isStillTheirs(db: Queryable, { userId, hash }: KeptPassword): Promise<boolean> {
  const [same] = await db
    .select({ id: account.id })
    .from(account)
    .where(and(eq(account.userId, userId), eq(account.providerId, BY_PASSWORD), eq(account.password, hash)));
  return same !== undefined;
}
