import { and, eq, sql } from "drizzle-orm";
import { redirect } from "react-router";
import type { Actor } from "../audit/record-change.server.ts";
import { session } from "../auth/schema.ts";
import { secondFactorOf } from "../auth/second-factor/read-factors.server.ts";
import {
  isOnAdminList,
  type RouteArgs,
  readFreshness,
  readSession,
  requireSession,
} from "../auth/session.server.ts";
import { isOpen } from "../auth/sessions.server.ts";
import { noteRefusal } from "../auth/tries.server.ts";
import type { Queryable } from "../db/client.server.ts";
import { fromContext } from "../http/context.server.ts";
import { pageUrl } from "../http/page-url.ts";
import { withReturnTo } from "../http/safe-path.ts";

declare module "../http/context.server.ts" {
  interface RequestState {
    isRefusalNoted?: boolean;
  }
}

/** Lifetime of a console sign-in. */
const SIGN_IN_HOURS = 12;

/** A response and not `data`: `submitForm` lets only responses through. */
const NOT_FOUND = () => new Response(null, { status: 404 });

/** As an actor, signs the audit log with their address. */
export interface Operator extends Actor {
  id: string;
}

/**
 * Signed in within SIGN_IN_HOURS with a second factor, at a confirmed address on the list. Every loader and action of the console calls
 * it. @returns who it is, and what they work on. @throws the 404 page for everyone else; a redirect to set up or show a second factor
 */
export async function requireOperator(args: RouteArgs) {
  const { app, state } = fromContext(args.context);
  const found = await readSession(args);
  if (!found?.user.emailVerified || !isOnAdminList(app, found.user)) {
    // The layout and the page each call this.
    if (!state.isRefusalNoted)
      noteRefusal(app, "not_an_operator", { email: found?.user.email ?? null, client: state.client });
    state.isRefusalNoted = true;
    throw NOT_FOUND();
  }
  const { hasSecondFactor, isRecent } = await readProof(app.db, found.id);
  const { pathname, search } = pageUrl(args.request);
  const returnTo = args.request.method === "GET" ? pathname + search : "/admin";
  if (!hasSecondFactor) throw redirect(withReturnTo("/account/second-factor", returnTo, "/admin"), 303);
  if (!isRecent) throw redirect(withReturnTo("/account/confirm", returnTo, "/admin"), 303);
  const operator: Operator = { id: found.user.id, name: found.user.email, sessionId: found.id };
  return { operator, app, db: app.db, config: app.config };
}

/**
 * With a second factor shown within ten minutes: for exports, gifts and what cannot be undone, as a console may be left open.
 * @throws as `requireOperator`; a redirect to show the second factor again
 */
export async function requireFreshOperator(args: RouteArgs) {
  const work = await requireOperator(args);
  const { needsSecondFactor } = await readFreshness(work.app, (await requireSession(args)).id);
  if (!needsSecondFactor) return work;
  const { pathname, search } = pageUrl(args.request);
  throw redirect(withReturnTo("/account/confirm/second-factor", pageOf(pathname) + search, "/admin"), 303);
}

/** The page that links to a file. */
function pageOf(path: string): string {
  if (!/\.csv$|\/export$/.test(path)) return path;
  return /^\/admin\/[^/]+$/.test(path) ? path.slice(0, -".csv".length) : path.slice(0, path.lastIndexOf("/"));
}

async function readProof(db: Queryable, sessionId: string) {
  const since = sql`now() - make_interval(hours => ${SIGN_IN_HOURS}::int)`;
  const [proof] = await db
    .select({
      isRecent: sql<boolean>`coalesce(${session.confirmedAt} > ${since} AND ${session.secondFactorAt} > ${since}, false)`,
      hasSecondFactor: secondFactorOf(session.userId),
    })
    .from(session)
    .where(and(eq(session.id, sessionId), isOpen));
  return proof ?? { isRecent: false, hasSecondFactor: false };
}
