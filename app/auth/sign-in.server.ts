import { and, eq, sql } from "drizzle-orm";
import type { Queryable } from "../db/client.server.ts";
import { fromContext } from "../http/context.server.ts";
import { tryPassword } from "./password-tries.server.ts";
import { BY_PASSWORD, checkPassword, findPasswordByEmail, type StoredPassword } from "./passwords.server.ts";
import { account, user } from "./schema.ts";
import { openSession, type RouteArgs, type SignedIn } from "./session.server.ts";

const WRONG = "Wrong email address or password.";

/**
 * Signs in with the address and the password of an account. A success is `found`: signed in, or a second factor to show.
 *
 * Failures: those of `tryPassword`, after the same time whether there is such an account.
 */
export function signInWithPassword(
  args: RouteArgs,
  { email, password, timeZone }: { email: string; password: string; timeZone?: string | null },
) {
  const { app, state } = fromContext(args.context);
  return tryPassword(app, { client: state.client, email }, WRONG, () =>
    openWithPassword(args, email, password, timeZone),
  );
}

async function openWithPassword(
  args: RouteArgs,
  email: string,
  password: string,
  timeZone: string | null | undefined,
): Promise<SignedIn | null> {
  const { app } = fromContext(args.context);
  const known = await checkPassword(app.db, await findPasswordByEmail(app.db, email), password);
  if (!known) return null;
  const opened = await openWithKnownPassword(args, known);
  // Not before a second factor, without which nobody changes anything.
  if (opened === "signed in" && timeZone) await noteTimeZone(app.db, known.userId, timeZone);
  return opened;
}

/**
 * Signs in somebody who has just shown that they know a password, or has just chosen it.
 *
 * @returns `null` when they are not signed in: the account has another password by now, or is gone
 */
export function openWithKnownPassword(args: RouteArgs, known: StoredPassword): Promise<SignedIn | null> {
  const { app } = fromContext(args.context);
  return openSession(args, known.userId, () => isStillTheirs(app.db, known));
}

async function isStillTheirs(db: Queryable, { userId, hash }: StoredPassword): Promise<boolean> {
  const [same] = await db
    .select({ id: account.id })
    .from(account)
    .where(and(eq(account.userId, userId), eq(account.providerId, BY_PASSWORD), eq(account.password, hash)));
  return same !== undefined;
}

/** Stores the zone that somebody's browser tells when they sign in: the one writer besides `createUser` and `takeOver`. */
async function noteTimeZone(db: Queryable, userId: string, timeZone: string): Promise<void> {
  await db
    .update(user)
    .set({ timeZone })
    .where(and(eq(user.id, userId), sql`${user.timeZone} IS DISTINCT FROM ${timeZone}`));
}
