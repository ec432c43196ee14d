import { eq, sql } from "drizzle-orm";
import { type RouterContextProvider, redirect } from "react-router";
import { type App, fromContext, type RequestState } from "../http/context.server.ts";
import { pageUrl } from "../http/page-url.ts";
import { loginPath, secondFactorPath } from "../http/safe-path.ts";
import {
  type AskingRequest,
  clearSessionCookie,
  hasSessionCookie,
  readPendingToken,
  readSessionToken,
  setPendingCookie,
  setSessionCookie,
} from "./cookies.server.ts";
import { isReplaced } from "./renew-token.server.ts";
import { session } from "./schema.ts";
import { secondFactorOf } from "./second-factor/has-second-factor.server.ts";
import {
  createSession,
  deletePendingSession,
  deleteSession,
  findAndRenewSession,
  type Session,
  type SignedInUser,
} from "./sessions.server.ts";

/** Sensitive changes need somebody who signed in, or confirmed who they are, within this many minutes. */
const FRESH_MINUTES = 10;

/** Who asks, as far as a request's headers tell it. */
export interface SessionArgs {
  request: AskingRequest;
  context: Readonly<RouterContextProvider>;
}

/** What a loader or an action is given, as far as it tells who asks. */
export interface RouteArgs extends SessionArgs {
  request: Request;
}

declare module "../http/context.server.ts" {
  interface RequestState {
    /** Read at most once a request, and only when asked for: public pages never ask. */
    session?: Promise<Session | null>;
  }
}

/** The user who sent this request, or `null`. */
export async function readUser(args: SessionArgs): Promise<SignedInUser | null> {
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

/** The time zone of the user a request was found to come from; it is not looked up for that. */
export async function timeZoneOf({ session }: RequestState): Promise<string | null> {
  return (await session?.catch(() => null))?.user.timeZone ?? null;
}

/** The session this request belongs to, or `null`. Asks the database once a request, and renews the cookie when it is due. */
export function readSession({ request, context }: SessionArgs): Promise<Session | null> {
  const { app, state } = fromContext(context);
  state.session ??= findSession(app, state, request);
  return state.session;
}

async function findSession(app: App, state: RequestState, request: AskingRequest): Promise<Session | null> {
  const token = await readSessionToken(app.config, request);
  const found = token === null ? null : await findAndRenewSession(app.db, token);
  if (found && token) {
    state.notes.actor = found.user.id;
    if (found.isRenewed) await setSessionCookie(app.config, state, token);
    return { id: found.id, user: found.user };
  }
  const isForgotten = hasSessionCookie(app.config, request) && !(token && (await isReplaced(app, token)));
  if (isForgotten) await clearSessionCookie(app.config, state);
  return null;
}

/** The user who sent this request. @throws a redirect to /login that leads back here, for anyone signed out (spec §2) */
export async function requireUser(args: RouteArgs): Promise<SignedInUser> {
  return (await requireSession(args)).user;
}

/** The session of this request. @throws a redirect to /login that leads back here, for anyone signed out */
export async function requireSession(args: RouteArgs): Promise<Session> {
  const found = await readSession(args);
  if (found) return found;
  const { pathname, search } = pageUrl(args.request);
  throw redirect(loginPath(pathname + search, hasLostCookie(args.request) ? "cookies" : undefined));
}

/** Whether a browser comes straight from signing in and has not kept the cookie. */
export function hasLostCookie({ headers }: Request): boolean {
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
  const { pathname, search } = pageUrl(args.request);
  const query = new URLSearchParams({ return_to: returnTo ?? pathname + search });
  throw redirect(`/account/confirm?${query}`, 303);
}

/** Whether the user of a session showed within FRESH_MINUTES who they are, with the second factor too if they have one. */
export async function isFresh(app: Pick<App, "db">, sessionId: string): Promise<boolean> {
  const { isConfirmed, needsSecondFactor } = await readFreshness(app, sessionId);
  return isConfirmed && !needsSecondFactor;
}

/** What the user of a session showed within FRESH_MINUTES: who they are, and whether the second factor is still to come. */
export async function readFreshness({ db }: Pick<App, "db">, sessionId: string) {
  const since = sql`now() - make_interval(mins => ${FRESH_MINUTES}::int)`;
  const [found] = await db
    .select({
      isConfirmed: sql<boolean>`${session.confirmedAt} > ${since}`,
      needsSecondFactor: sql<boolean>`coalesce(${session.secondFactorAt} <= ${since}, true)
        AND ${secondFactorOf(session.userId)}`,
    })
    .from(session)
    .where(eq(session.id, sessionId));
  return found ?? { isConfirmed: false, needsSecondFactor: false };
}

/** What became of a sign-in: the user is signed in, or has a second factor and has to show it. */
export type SignedIn = "signed in" | "second factor";

/**
 * Signs a user in: opens a session, puts its cookie on the answer and ends the session the browser had before. The cookie
 * comes last, so that after an error the browser is as signed in as it was. Every way in leads through here, so that none
 * leads past the second factor: the session of a user who has one waits, and the browser stays as signed in as it was.
 *
 * @param isStillValid asked once the session is there: whether what lets the user in still does. A change of that ends
 *   the sessions it finds, and this one may come after it
 * @returns `null` when they are not signed in: the account has been deleted or changed meanwhile
 */
export async function openSession(
  args: RouteArgs,
  userId: string,
  isStillValid: () => Promise<boolean> = async () => true,
): Promise<SignedIn | null> {
  const { app, state } = fromContext(args.context);
  const before = await readSession(args);
  const opened = await createSession(app.db, userId, args.request.headers.get("user-agent"));
  if (!opened) return null;
  if (!(await isStillValid())) {
    await deleteSession(app.db, opened);
    return null;
  }
  if (opened.needsSecondFactor) {
    const waiting = await readPendingToken(app.config, args.request);
    if (waiting) await deletePendingSession(app.db, waiting);
    await setPendingCookie(app.config, state, opened.token);
    return "second factor";
  }
  if (before) await deleteSession(app.db, before);
  await setSessionCookie(app.config, state, opened.token);
  state.notes.actor = userId;
  state.session = undefined;
  return "signed in";
}

/** Where somebody goes on who has just signed in. */
export function pathAfter(signedIn: SignedIn, returnTo: string): string {
  return signedIn === "second factor" ? secondFactorPath(returnTo) : returnTo;
}

/** Signs out: ends the session of this request and takes its cookie away. When this throws, neither has happened. */
export async function closeSession({ request, context }: RouteArgs): Promise<void> {
  const { app, state } = fromContext(context);
  const token = await readSessionToken(app.config, request);
  if (token) await deleteSession(app.db, { token });
  await clearSessionCookie(app.config, state);
  state.session = undefined;
}

/** Whether somebody may see the way to the console; `requireOperator` says whether they may go it. */
export function isOperator(app: Pick<App, "config">, user: SignedInUser): boolean {
  return user.emailVerified && isOnAdminList(app, user);
}

/** Whether the address is on the operator's list (spec §6). Good for a redirect only: nobody may have verified it. */
export function isOnAdminList(app: Pick<App, "config">, user: SignedInUser): boolean {
  return app.config.adminEmails.has(user.email.toLowerCase());
}
