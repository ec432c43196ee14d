import { and, eq, inArray, sql } from "drizzle-orm";
import { type RouterContextProvider, redirect } from "react-router";
import type { Queryable } from "../db/client.server.ts";
import { type App, fromContext, type RequestState } from "../http/context.server.ts";
import { pageUrl } from "../http/page-url.ts";
import { loginPath, secondFactorPath, withReturnTo } from "../http/safe-path.ts";
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

/** For sensitive changes. */
const FRESH_MINUTES = 10;

export interface SessionArgs {
  request: AskingRequest;
  context: Readonly<RouterContextProvider>;
}

export interface RouteArgs extends SessionArgs {
  request: Request;
}

declare module "../http/context.server.ts" {
  interface RequestState {
    /** Public pages never ask. */
    session?: Promise<Session | null>;
  }
}

export async function readUser(args: SessionArgs): Promise<SessionUser | null> {
  return (await readSession(args))?.user ?? null;
}

/** For pages that work while the database is away. */
export async function readUserIfPossible(args: RouteArgs): Promise<SessionUser | null> {
  try {
    return await readUser(args);
  } catch (error) {
    const { app, state } = fromContext(args.context);
    app.log.error({ error, id: state.id }, "could not look up who is signed in");
    return null;
  }
}

/** Without a lookup of its own. */
export async function timeZoneOf({ session }: RequestState): Promise<string | null> {
  return (await session?.catch(() => null))?.user.timeZone ?? null;
}

/** Looked up once a request, and renewed when that is due. */
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

/** @throws a redirect to /login that leads back here (spec §2) */
export async function requireUser(args: RouteArgs): Promise<SessionUser> {
  return (await requireSession(args)).user;
}

/** @throws a redirect to /login that leads back here */
export async function requireSession(args: RouteArgs): Promise<Session> {
  const found = await readSession(args);
  if (found) return found;
  const { pathname, search } = pageUrl(args.request);
  throw redirect(loginPath(pathname + search, hasLostCookie(args.request) ? "cookies" : undefined));
}

/** Straight from signing in, without the cookie. */
export function hasLostCookie({ headers }: Request): boolean {
  const from = URL.parse(headers.get("referer") ?? "")?.pathname ?? "";
  return !headers.has("cookie") && /^\/(login|register)$/.test(from);
}

/** For changes that an unlocked screen must not allow. @throws a redirect to /account/confirm or /login */
export async function requireFreshSession(args: RouteArgs, returnTo?: string): Promise<Session> {
  const found = await requireSession(args);
  if (await isFresh(fromContext(args.context).app, found.id)) return found;
  const { pathname, search } = pageUrl(args.request);
  throw redirect(withReturnTo("/account/confirm", returnTo ?? pathname + search, "/account"), 303);
}

/** With the second factor too where its user has one. */
export async function isFresh(app: Pick<App, "db">, sessionId: string): Promise<boolean> {
  const { isConfirmed, needsSecondFactor } = await readFreshness(app, sessionId);
  return isConfirmed && !needsSecondFactor;
}

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

export type SignedIn = "signed in" | "second factor";

/**
 * Opens a session and ends the one the browser had before. The cookie comes last, so that an error changes nothing. Every sign-in ends
 * here: with a second factor, the session waits for it.
 * @param by the `provider_id` of the sign-in method, for the log
 * @param isStillValid whether the credential did not change after the other sessions were ended
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

/** OWASP ASVS 16.3.1. */
export function noteSignIn({ context }: SessionArgs, userId: string, by: string): void {
  const { app, state } = fromContext(context);
  state.notes.actor = userId;
  state.session = undefined;
  app.log.info({ actor: userId, by }, "signed in");
}

export function pathAfter(signedIn: SignedIn, returnTo: string): string {
  return signedIn === "second factor" ? secondFactorPath(returnTo) : returnTo;
}

/** When this throws, neither the session nor its cookie is gone. */
export async function closeSession({ request, context }: RouteArgs): Promise<void> {
  const { app, state } = fromContext(context);
  const token = await readToken(app.config, "session", request);
  if (token) await deleteSession(app.db, { token });
  await setToken(app.config, state, "session", null);
  state.session = undefined;
}

/** For links only; `requireOperator` guards the console. */
export function isOperator(app: Pick<App, "config">, user: SignedInUser): boolean {
  return user.emailVerified && isOnAdminList(app, user);
}

/** Spec §6. For a redirect only: the address may be unconfirmed. */
export function isOnAdminList(app: Pick<App, "config">, user: SignedInUser): boolean {
  return app.config.adminEmails.has(user.email.toLowerCase());
}

type Shown = "confirmedAt" | "secondFactorAt";

/**
 * A new token after proving identity or changing credentials (OWASP ASVS 7.2.4). It follows from the old one and AUTH_SECRET, so that a
 * form sent twice gets the same.
 * @returns the token, for the cookie once all is written; `null` when the session has ended
 */
export async function renewToken(
  { request, context }: SessionArgs,
  tx: Queryable,
  id: string,
  ...shown: Shown[]
): Promise<string | null> {
  const { app } = fromContext(context);
  const token = await readToken(app.config, "session", request);
  if (token === null) return null;
  const next = nextSecretToken(app.config.authSecret, token);
  const { rowCount } = await tx
    .update(session)
    .set({ tokenHash: hashSecret(next), ...Object.fromEntries(shown.map((column) => [column, sql`now()`])) })
    .where(and(eq(session.id, id), inArray(session.tokenHash, [token, next].map(hashSecret))));
  return rowCount ? next : null;
}

/** In a transaction of its own. @returns whether the session continues */
export async function renewTokenAlone(args: SessionArgs, id: string, ...shown: Shown[]): Promise<boolean> {
  const { app, state } = fromContext(args.context);
  const token = await renewToken(args, app.db, id, ...shown);
  if (token !== null) await setToken(app.config, state, "session", token);
  return token !== null;
}

/** A concurrent request with the old token must not clear the new cookie. */
async function isReplaced({ config, db }: Pick<App, "config" | "db">, token: string): Promise<boolean> {
  const next = hashSecret(nextSecretToken(config.authSecret, token));
  return (await db.$count(session, eq(session.tokenHash, next))) > 0;
}
