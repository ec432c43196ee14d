import { and, eq, inArray, sql } from "drizzle-orm";
import { type RouterContextProvider, redirect } from "react-router";
import type { Queryable } from "../db/client.server.ts";
import { type App, fromContext, type RequestState } from "../http/context.server.ts";
import { pageUrl } from "../http/page-url.ts";
import { loginPath, secondFactorPath } from "../http/safe-path.ts";
import { hashSecret, nextSecretToken } from "../http/secret-token.server.ts";
import { type AskingRequest, hasSessionCookie, readToken, setToken } from "./cookies.server.ts";
import { session } from "./schema.ts";
import { secondFactorOf } from "./second-factor/read-factors.server.ts";
import {
  createSession,
  deletePendingSession,
  deleteSession,
  findAndRenewSession,
  type Session,
} from "./sessions.server.ts";
import type { SessionUser, SignedInUser } from "./users.server.ts";

/** Sensitive changes need a user who signed in, or confirmed who they are, within this many minutes. */
const FRESH_MINUTES = 10;

/** A request, as far as its headers say who sent it. */
export interface SessionArgs {
  request: AskingRequest;
  context: Readonly<RouterContextProvider>;
}

/** The arguments of a loader or an action. */
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
export async function readUser(args: SessionArgs): Promise<SessionUser | null> {
  return (await readSession(args))?.user ?? null;
}

/** The same for pages that work while the database is away: then no user counts as signed in. */
export async function readUserIfPossible(args: RouteArgs): Promise<SessionUser | null> {
  try {
    return await readUser(args);
  } catch (error) {
    const { app, state } = fromContext(args.context);
    app.log.error({ error, id: state.id }, "could not look up who is signed in");
    return null;
  }
}

/** The time zone of the request's user, where that has been looked up. */
export async function timeZoneOf({ session }: RequestState): Promise<string | null> {
  return (await session?.catch(() => null))?.user.timeZone ?? null;
}

/** The session of this request, or `null`: looked up once a request, and renewed when that is due. */
export function readSession({ request, context }: SessionArgs): Promise<Session | null> {
  const { app, state } = fromContext(context);
  state.session ??= findSession(app, state, request);
  return state.session;
}

async function findSession(app: App, state: RequestState, request: AskingRequest): Promise<Session | null> {
  const token = await readToken(app.config, "session", request);
  const found = token === null ? null : await findAndRenewSession(app.db, token);
  if (found && token) {
    state.notes.actor = found.user.id;
    if (found.isRenewed) await setToken(app.config, state, "session", token);
    return { id: found.id, user: found.user };
  }
  const isForgotten = hasSessionCookie(app.config, request) && !(token && (await isReplaced(app, token)));
  if (isForgotten) await setToken(app.config, state, "session", null);
  return null;
}

/** The user who sent this request. @throws a redirect to /login that leads back here, for anyone signed out (spec §2) */
export async function requireUser(args: RouteArgs): Promise<SessionUser> {
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
 * A session whose user signed in, or confirmed who they are, within FRESH_MINUTES: for changes that a screen left unlocked
 * must not allow.
 *
 * @param returnTo where confirming leads, when that is not back here
 * @throws a redirect to /account/confirm, or to /login for anyone signed out
 */
export async function requireFreshSession(args: RouteArgs, returnTo?: string): Promise<Session> {
  const found = await requireSession(args);
  if (await isFresh(fromContext(args.context).app, found.id)) return found;
  const { pathname, search } = pageUrl(args.request);
  const query = new URLSearchParams({ return_to: returnTo ?? pathname + search });
  throw redirect(`/account/confirm?${query}`, 303);
}

/** Whether a session is fresh, with the second factor too where its user has one. */
export async function isFresh(app: Pick<App, "db">, sessionId: string): Promise<boolean> {
  const { isConfirmed, needsSecondFactor } = await readFreshness(app, sessionId);
  return isConfirmed && !needsSecondFactor;
}

/** What the user of a session proved within FRESH_MINUTES: their identity, and whether the second factor is still required. */
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

/** The result of a sign-in: signed in, or a second factor is required. */
export type SignedIn = "signed in" | "second factor";

/**
 * Signs a user in: opens a session, ends the one the browser had before, and sets the cookie last, so that after an error the browser
 * stays signed in as before. Every way in leads through here: the session of a user with a second factor waits for it.
 *
 * @param by the `provider_id` of the sign-in method, for the log
 * @param isStillValid asked once the session is there: whether the credential is still valid. It may have changed after
 *   the other sessions were ended
 * @returns `null` when the account has been deleted or changed meanwhile
 */
export async function openSession(
  args: RouteArgs,
  userId: string,
  by: string,
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
    const waiting = await readToken(app.config, "pending", args.request);
    if (waiting) await deletePendingSession(app.db, waiting);
    await setToken(app.config, state, "pending", opened.token);
    app.log.info({ actor: userId, by }, "first factor shown");
    return "second factor";
  }
  if (before) await deleteSession(app.db, before);
  await setToken(app.config, state, "session", opened.token);
  noteSignIn(args, userId, by);
  return "signed in";
}

/** Notes in the request's line, and in one of its own, who is signed in now, and by what (OWASP ASVS 16.3.1). */
export function noteSignIn({ context }: SessionArgs, userId: string, by: string): void {
  const { app, state } = fromContext(context);
  state.notes.actor = userId;
  state.session = undefined;
  app.log.info({ actor: userId, by }, "signed in");
}

/** The path after a sign-in. */
export function pathAfter(signedIn: SignedIn, returnTo: string): string {
  return signedIn === "second factor" ? secondFactorPath(returnTo) : returnTo;
}

/** Signs out. When this throws, neither the session nor its cookie is gone. */
export async function closeSession({ request, context }: RouteArgs): Promise<void> {
  const { app, state } = fromContext(context);
  const token = await readToken(app.config, "session", request);
  if (token) await deleteSession(app.db, { token });
  await setToken(app.config, state, "session", null);
  state.session = undefined;
}

/** Whether a user sees the link to the console; `requireOperator` lets them in. */
export function isOperator(app: Pick<App, "config">, user: SignedInUser): boolean {
  return user.emailVerified && isOnAdminList(app, user);
}

/** Whether the address is on the admin list (spec §6). Good for a redirect only: it may be unconfirmed. */
export function isOnAdminList(app: Pick<App, "config">, user: SignedInUser): boolean {
  return app.config.adminEmails.has(user.email.toLowerCase());
}

/** What the user of a session has just proved. */
type Shown = "confirmedAt" | "secondFactorAt";

/**
 * Gives the session of a request a new token, because its user has shown who they are or changed how they do (OWASP ASVS
 * 7.2.4). It follows from the old one and AUTH_SECRET: of a form sent twice only the second answer is seen, so both bring the same.
 *
 * @returns what puts the token on the answer, once all is written; `null` when the session has ended
 */
export async function renewToken(
  { request, context }: SessionArgs,
  tx: Queryable,
  id: string,
  ...shown: Shown[]
): Promise<(() => Promise<void>) | null> {
  const { app, state } = fromContext(context);
  const token = await readToken(app.config, "session", request);
  if (token === null) return null;
  const next = nextSecretToken(app.config.authSecret, token);
  const renewed = await tx
    .update(session)
    .set({
      tokenHash: hashSecret(next),
      ...Object.fromEntries(shown.map((column) => [column, sql`now()`])),
    })
    .where(and(eq(session.id, id), inArray(session.tokenHash, [token, next].map(hashSecret))))
    .returning({ id: session.id });
  return renewed.length > 0 ? () => setToken(app.config, state, "session", next) : null;
}

/** The same outside of a transaction. @returns whether the session goes on */
export async function renewTokenAlone(args: SessionArgs, id: string, ...shown: Shown[]): Promise<boolean> {
  const { app } = fromContext(args.context);
  const setCookie = await renewToken(args, app.db, id, ...shown);
  await setCookie?.();
  return setCookie !== null;
}

/** Whether a token has just been replaced: a request under way with it, from another tab, must not clear the new cookie. */
async function isReplaced({ config, db }: Pick<App, "config" | "db">, token: string): Promise<boolean> {
  const next = hashSecret(nextSecretToken(config.authSecret, token));
  const found = await db.select({ id: session.id }).from(session).where(eq(session.tokenHash, next));
  return found.length > 0;
}
