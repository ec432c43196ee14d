import { isAPIError } from "better-auth/api";
import { and, eq, sql } from "drizzle-orm";
import { type RouterContextProvider, redirect } from "react-router";
import type { Queryable } from "../db/client.server.ts";
import { type App, fromContext, type RequestState } from "../http/context.server.ts";
import { loginPath } from "../http/safe-path.ts";
import type { SignedInUser } from "./auth.server.ts";
import { session, user } from "./schema.ts";

/** Sensitive changes need somebody who showed who they are within this many minutes. */
const FRESH_MINUTES = 10;

/** What a loader or an action is given, as far as it tells who asks. */
export interface RouteArgs {
  request: Request;
  context: Readonly<RouterContextProvider>;
}

/** Who sent this request, or `null`. Asks the database once a request, and renews the cookie when it is due. */
export async function readUser(args: RouteArgs): Promise<SignedInUser | null> {
  return (await readSession(args))?.user ?? null;
}

/**
 * The same for a page that is there for everybody who is signed out: whoever cannot be looked up is taken for one of
 * them, so that the page is there while the database is away.
 */
export async function readUserIfPossible(args: RouteArgs): Promise<SignedInUser | null> {
  try {
    return await readUser(args);
  } catch (error) {
    const { app, state } = fromContext(args.context);
    app.log.error({ error, id: state.id }, "could not look up who is signed in");
    return null;
  }
}

/** A session and whose it is. The id is no secret; the token that is never leaves the cookie. */
export interface Session {
  id: string;
  user: SignedInUser;
}

declare module "../http/context.server.ts" {
  interface RequestState {
    /** Read at most once a request, and only when asked for: public pages never ask. */
    session?: Promise<Session | null>;
  }
}

/** The session this request belongs to, or `null`. */
export function readSession({ request, context }: RouteArgs): Promise<Session | null> {
  const { app, state } = fromContext(context);
  state.session ??= fetchSession(app, state, request);
  return state.session;
}

/** Who sent this request. @throws a redirect to /login that leads back here, for anyone signed out (spec §2) */
export async function requireUser(args: RouteArgs): Promise<SignedInUser> {
  return (await requireSession(args)).user;
}

/** The session of this request. @throws a redirect to /login that leads back here, for anyone signed out */
export async function requireSession(args: RouteArgs): Promise<Session> {
  const found = await readSession(args);
  if (found) return found;
  const { pathname, search } = new URL(args.request.url);
  throw redirect(loginPath(pathname + search, hasLostCookie(args.request) ? "cookies" : undefined));
}

/** Whether somebody comes straight from signing in and their browser has not kept the cookie. */
function hasLostCookie({ headers }: Request): boolean {
  const from = URL.parse(headers.get("referer") ?? "")?.pathname ?? "";
  return !headers.has("cookie") && /^\/(login|register)$/.test(from);
}

/**
 * The session of somebody who signed in, or confirmed who they are, within FRESH_MINUTES: for changes that must not be
 * made by whoever finds a screen unlocked.
 *
 * @param returnTo where confirming leads, when that is not back here
 * @throws a redirect to /account/confirm that leads on from there; to /login for anyone signed out
 */
export async function requireFreshSession(args: RouteArgs, returnTo?: string): Promise<Session> {
  const found = await requireSession(args);
  if (await isFresh(fromContext(args.context).app, found.id)) return found;
  const { pathname, search } = new URL(args.request.url);
  const query = new URLSearchParams({ return_to: returnTo ?? pathname + search });
  throw redirect(`/account/confirm?${query}`, 303);
}

/** Whether whoever uses this session showed within FRESH_MINUTES who they are. */
export async function isFresh({ db }: Pick<App, "db">, sessionId: string): Promise<boolean> {
  const fresh = await db
    .select({ id: session.id })
    .from(session)
    .where(
      and(
        eq(session.id, sessionId),
        sql`${session.confirmedAt} > now() - make_interval(mins => ${FRESH_MINUTES}::int)`,
      ),
    );
  return fresh.length > 0;
}

/** Notes that whoever uses this session has shown anew who they are. */
export async function markFresh({ db }: Pick<App, "db">, sessionId: string): Promise<void> {
  await db.update(session).set({ confirmedAt: sql`now()` }).where(eq(session.id, sessionId));
}

/**
 * Opens a session for somebody whom our rules let in; its cookie goes on the answer, and the session the browser had
 * before ends: nobody can reach it any more. The cookie is the last step, so when this throws the browser is as signed
 * in as it was.
 *
 * @param isStillSo asked once the session is there: whether what lets them in is as it was. Whoever changes that ends all
 *   sessions there are, and this one may come after
 * @returns whether they are in; not when the account has been deleted meanwhile
 */
export async function openSession(
  args: RouteArgs,
  userId: string,
  isStillSo: () => Promise<boolean> = async () => true,
): Promise<boolean> {
  const { app, state } = fromContext(args.context);
  const before = await readSession(args);
  const opened = await app.auth.api
    .openSession({ body: { userId }, headers: args.request.headers, returnHeaders: true })
    .catch(async (error: unknown) => {
      if (await isThere(app.db, userId)) throw error;
      return null;
    });
  if (!opened) return false;
  if (!(await isStillSo())) {
    await endSession(app.db, opened.response.sessionId);
    return false;
  }
  if (before) await endSession(app.db, before.id);
  state.setCookies.push(...opened.headers.getSetCookie());
  state.session = undefined;
  return true;
}

async function endSession(db: Queryable, sessionId: string): Promise<void> {
  await db.delete(session).where(eq(session.id, sessionId));
}

async function isThere(db: Queryable, userId: string): Promise<boolean> {
  const found = await db.select({ id: user.id }).from(user).where(eq(user.id, userId));
  return found.length > 0;
}

/** Whether the address is on the operator's list (spec §6). Good for a redirect only: nobody may have verified it. */
export function isOnAdminList(app: Pick<App, "config">, user: SignedInUser): boolean {
  return user.email.toLowerCase() === app.config.adminEmail;
}

async function fetchSession(app: App, state: RequestState, request: Request): Promise<Session | null> {
  const found = await app.auth.api
    .getSession({ headers: request.headers, returnHeaders: true })
    .catch((error: unknown) => {
      // The session ended while it was renewed.
      if (isAPIError(error) && error.statusCode === 401) return null;
      throw error;
    });
  if (!found) return null;
  const { headers, response } = found;
  state.setCookies.push(...headers.getSetCookie());
  if (!response) return null;
  const { id, name, email, emailVerified, image = null } = response.user;
  return { id: response.session.id, user: { id, name, email, emailVerified, image } };
}
