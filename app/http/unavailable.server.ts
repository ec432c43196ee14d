import type { HeadersFunction, ServerBuild } from "react-router";
import { isDatabaseAway } from "../db/database-away.server.ts";
import type { Log } from "../log/log.server.ts";
import type { App, RequestState } from "./context.server.ts";
import { type Failure, failure } from "./errors.ts";

const RETRY_AFTER = { "Retry-After": "5" };

export const UNAVAILABLE: Failure = {
  ...failure(
    503,
    "The site is very busy or its database is down. Nothing you saved is lost. Try again in a moment.",
  ),
  headers: RETRY_AFTER,
};

/**
 * What all routes have in common: when the database is away, pages answer with a 503 error page, resource routes with plain text; and
 * an action's headers, such as Retry-After, go out with the page that shows its answer.
 */
export function withCommonAnswers(build: ServerBuild, log: Log): ServerBuild {
  const routes = Object.entries(build.routes).map(([id, route]) => {
    if (!route) return [id, route];
    const { loader, action, headers } = route.module;
    const common = {
      loader: guard(loader, log),
      action: guard(action, log),
      headers: headers ?? (action && headersOfAction),
    };
    return [id, { ...route, module: { ...route.module, ...common } }];
  });
  return { ...build, routes: Object.fromEntries(routes) };
}

/** React Router sends them only from routes that say so. */
const headersOfAction: HeadersFunction = ({ parentHeaders, actionHeaders }) => [
  ...parentHeaders,
  ...actionHeaders,
];

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

/** Logs an unexpected exception: 503 while the database is away, otherwise 500 with this message. */
export function toFailure(
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

/** Without the request's id: the log counts such lines, so that an outage of an hour does not fill the disk. */
function logUnavailable(log: Log, error: unknown): void {
  log.error({ error }, "the database is away or has too much to do");
}
