import { createContext, RouterContextProvider } from "react-router";
import type { Config } from "../config/config.server.ts";
import type { Database } from "../db/client.server.ts";
import type { Log } from "../log/log.server.ts";
import type { RequestNotes } from "../telemetry/requests.server.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import type { Refusal } from "./request-target.ts";
import type { SafePath } from "./safe-path.ts";

/**
 * What a process creates once, in app.server.ts, and passes to every loader and action. Features add their own parts
 * with `declare module`, so that this file does not depend on them.
 */
export interface App {
  config: Config;
  db: Database;
  log: Log;
  telemetry: Telemetry;
  /** Validates redirect targets. */
  safePath: SafePath;
}

/** The `client` of requests the process makes to itself to render cached pages. Never a valid IP. */
export const INTERNAL_CLIENT = "here";

/** State of one request. Features add to it as to `App`. */
export interface RequestState {
  id: string;
  /** Fields of the request's log line. */
  notes: RequestNotes;
  /** The client that rate limits count the request for: see client-address.ts. */
  client: string;
  /** Whether the request has a session cookie, valid or not: for the header of public pages (decision 0036). */
  hasSession: boolean;
  /** The build of the browser's files; `undefined` while developing, when it changes with each edit. */
  build?: string;
  /** Why the request was refused before routing; not-found.tsx shows it. */
  refusal?: Refusal;
  /** Set-Cookie values for the response, whichever route makes it. */
  setCookies: string[];
}

const appContext = createContext<App>();
const requestContext = createContext<RequestState>();

/** Creates the context that `fromContext` reads. */
export function contextOf(app: App, state: RequestState): RouterContextProvider {
  const context = new RouterContextProvider();
  context.set(appContext, app);
  context.set(requestContext, state);
  return context;
}

/** Both contexts, for loaders and actions. */
export function fromContext(context: Readonly<RouterContextProvider>): { app: App; state: RequestState } {
  return { app: context.get(appContext), state: context.get(requestContext) };
}
