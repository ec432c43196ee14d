import type { ServerBuild } from "react-router";
import { isDatabaseAway } from "../db/database-away.server.ts";
import type { Log } from "../log/log.server.ts";
import type { App, RequestState } from "./context.server.ts";
import { type Failure, failure } from "./errors.ts";

const RETRY_AFTER = { "Retry-After": "5" };
const LOG_EVERY_MILLISECONDS = 60_000;

/** The answer while the database is away or has too much to do. */
export const UNAVAILABLE: Failure = {
  ...failure(
    503,
    "The site is very busy or its database is away. Nothing you saved is lost. Try again in a moment.",
  ),
  headers: RETRY_AFTER,
};

/**
 * The routes as they are, except that a loader or an action that fails because the database is away answers 503: the
 * designed error page where there is a page, and words in plain text where there is none.
 */
export function withUnavailable(build: ServerBuild, log: Log): ServerBuild {
  const routes = Object.entries(build.routes).map(([id, route]) => {
    if (!route) return [id, route];
    const { loader, action } = route.module;
    const guarded = { loader: guard(loader, log), action: guard(action, log) };
    return [id, { ...route, module: { ...route.module, ...guarded } }];
  });
  return { ...build, routes: Object.fromEntries(routes) };
}

function guard<Args, Answer>(
  handle: ((args: Args) => Promise<Answer> | Answer) | undefined,
  log: Log,
): ((args: Args) => Promise<Answer>) | undefined {
  if (!handle) return undefined;
  return async (args) => {
    try {
      return await handle(args);
    } catch (error) {
      if (!isDatabaseAway(error)) throw error;
      logUnavailable(log, error);
      throw new Response(UNAVAILABLE.message, { status: UNAVAILABLE.status, headers: RETRY_AFTER });
    }
  };
}

/**
 * Logs what was thrown while somebody was served and says how to answer: 503 while the database is away, 500 for a fault
 * of ours.
 *
 * @param logged the line in the log
 * @param message for the person
 */
export function describeFault(
  { app, state }: { app: Pick<App, "log">; state: Pick<RequestState, "id"> },
  error: unknown,
  logged: string,
  message: string,
): Failure {
  if (isDatabaseAway(error)) {
    logUnavailable(app.log, error);
    return { ...failure(503, message), headers: RETRY_AFTER };
  }
  app.log.error({ error, id: state.id }, logged);
  return failure(500, message);
}

let unlogged = 0;
let loggedAt = Number.NEGATIVE_INFINITY;

/** Once a minute, with how many it happened to since: an outage of an hour must not fill the disk. */
function logUnavailable(log: Log, error: unknown): void {
  unlogged++;
  const now = performance.now();
  if (now - loggedAt < LOG_EVERY_MILLISECONDS) return;
  log.error({ error, requests: unlogged }, "the database is away or has too much to do");
  unlogged = 0;
  loggedAt = now;
}
