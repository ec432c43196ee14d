import { and, eq, sql } from "drizzle-orm";
import { type RouterContextProvider, redirect } from "react-router";
import { type App, fromContext, type RequestState } from "../http/context.server.ts";
import { loginPath } from "../http/safe-path.ts";
import { session } from "./schema.ts";
import {
  clearSessionCookie,
  hasSessionCookie,
  readSessionToken,
  setSessionCookie,
} from "./session-cookie.server.ts";
import {
  createSession,
  deleteSession,
  findAndRenewSession,
  type Session,
  type SignedInUser,
} from "./sessions.server.ts";

/** Sensitive changes need somebody who signed in, or confirmed who they are, within this many minutes. */
const FRESH_MINUTES = 10;

/** What a loader or an action is given, as far as it tells who asks. */
export interface RouteArgs {
  request: Request;
  context: Readonly<RouterContextProvider>;
}

declare module "../http/context.server.ts" {
  interface RequestState {
    /** Read at most once a request, and only when asked for: public pages never ask. */
    session?: Promise<Session | null>;
  }
}

/** The user who sent this request, or `null`. */
export async function readUser(args: RouteArgs): Promise<SignedInUser | null> {
  return (await readSession(args))?.user ?? null;
}

/** The same for pages for signed-out people, which work while the database is away, too: then nobody counts as signed in. */
export async function readUserIfPossible(args: RouteArgs): Promise<SignedInUser | null> {
  try {
    return await readUser(args);
  } catch (error) {
    const { app, state } = fromContext(args.context);
    app.log.error({ error, id: state.id }, "could not look up who is signed in");
    return null;
  }
}

/** The session this request belongs to, or `null`. Asks the database once a request, and renews the cookie when it is due. */
export function readSession({ request, context }: RouteArgs): Promise<Session | null> {
  const { app, state } = fromContext(context);
  state.session ??= findSession(app, state, request);
  return state.session;
}

async function findSession(app: App, state: RequestState, request: Request): Promise<Session | null> {
  const token = await readSessionToken(app.config, request);
  const found = token === null ? null : await findAndRenewSession(app.db, token);
  if (!found || token === null) {
    if (hasSessionCookie(app.config, request)) await clearSessionCookie(app.config, state);
    return null;
  }
  if (found.isRenewed) await setSessionCookie(app.config, state, token);
  return { id: found.id, user: found.user };
}

/** The user who sent this request. @throws a redirect to /login that leads back here, for anyone signed out (spec §2) */
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

/** Whether a browser comes straight from signing in and has not kept the cookie. */
function hasLostCookie({ headers }: Request): boolean {
  const from = URL.parse(headers.get("referer") ?? "")?.pathname ?? "";
  return !headers.has("cookie") && /^\/(login|register)$/.test(from);
}

/**
 * A session whose user signed in, or confirmed who they are, within FRESH_MINUTES: for changes that nobody should make at
 * a screen left unlocked.
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

/** Whether the user of a session showed within FRESH_MINUTES who they are. */
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

/** Notes that the user of a session has shown again who they are. */
export async function markFresh({ db }: Pick<App, "db">, sessionId: string): Promise<void> {
  await db.update(session).set({ confirmedAt: sql`now()` }).where(eq(session.id, sessionId));
}

/**
 * Signs a user in: opens a session, puts its cookie on the answer and ends the session the browser had before. The cookie
 * comes last, so that after an error the browser is as signed in as it was.
 *
 * @param isStillValid asked once the session is there: whether what lets the user in still does. A change of that ends
 *   the sessions it finds, and this one may come after it
 * @returns whether they are signed in; not when the account has been deleted meanwhile
 */
export async function openSession(
  args: RouteArgs,
  userId: string,
  isStillValid: () => Promise<boolean> = async () => true,
): Promise<boolean> {
  const { app, state } = fromContext(args.context);
  const before = await readSession(args);
  const opened = await createSession(app.db, userId, args.request.headers.get("user-agent"));
  if (!opened) return false;
  if (!(await isStillValid())) {
    await deleteSession(app.db, opened);
    return false;
  }
  if (before) await deleteSession(app.db, before);
  await setSessionCookie(app.config, state, opened.token);
  state.session = undefined;
  return true;
}

/** Signs out: ends the session of this request and takes its cookie away. When this throws, neither has happened. */
export async function closeSession({ request, context }: RouteArgs): Promise<void> {
  const { app, state } = fromContext(context);
  const token = await readSessionToken(app.config, request);
  if (token) await deleteSession(app.db, { token });
  await clearSessionCookie(app.config, state);
  state.session = undefined;
}

/** Whether the address is on the operator's list (spec §6). Good for a redirect only: nobody may have verified it. */
export function isOnAdminList(app: Pick<App, "config">, user: SignedInUser): boolean {
  return app.config.adminEmails.has(user.email.toLowerCase());
}
