import { createContext, RouterContextProvider } from "react-router";
import type { Config } from "../config/config.server.ts";
import type { Database } from "../db/client.server.ts";
import type { Log } from "../log/log.server.ts";
import type { RequestNotes } from "../telemetry/requests.server.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import type { Refusal } from "./request-target.ts";

/** Created once a process. Features add their parts with `declare module`, so that this file does not depend on them. */
export interface App {
  config: Config;
  db: Database;
  log: Log;
  telemetry: Telemetry;
}

/** The process's own requests, which render cached pages. Never a valid IP. */
export const INTERNAL_CLIENT = "here";

/** Features add to it as to `App`. */
export interface RequestState {
  id: string;
  notes: RequestNotes;
  /** What rate limits count by: client-address.ts. */
  client: string;
  /** Valid or not: for the header of public pages (decision 0036). */
  hasSession: boolean;
  /** `undefined` while developing, when it changes with each edit. */
  build?: string;
  /** Before routing; not-found.tsx shows it. */
  refusal?: Refusal;
  /** Whichever route makes the response. */
  setCookies: string[];
}

const appContext = createContext<App>();
const requestContext = createContext<RequestState>();

export function contextOf(app: App, state: RequestState): RouterContextProvider {
  const context = new RouterContextProvider();
  context.set(appContext, app);
  context.set(requestContext, state);
  return context;
}

export function fromContext(context: Readonly<RouterContextProvider>): { app: App; state: RequestState } {
  return { app: context.get(appContext), state: context.get(requestContext) };
}
