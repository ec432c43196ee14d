import { createContext, type RouterContextProvider } from "react-router";
import type { Config } from "../config/config.server.ts";
import type { Database } from "../db/client.server.ts";
import type { Log } from "../log/log.server.ts";
import type { Refusal } from "./request-target.ts";

/**
 * What the process has, made once in app.server.ts and handed to every loader and action. What a feature adds is
 * declared beside it (`declare module`), so that nothing here needs to know the features.
 */
export interface App {
  config: Config;
  db: Database;
  log: Log;
}

/** The client id of requests the process sends itself to render pages it keeps. Nobody else can have it. */
export const OURSELVES = "here";

/** What belongs to one request and is gone after it. Features add to it as to `App`. */
export interface RequestState {
  id: string;
  nonce: string;
  /** Whom the limits count the request for: see client-address.ts. */
  client: string;
  /** Why no route is asked: not-found.tsx shows it. */
  refusal?: Refusal;
  /** Set-Cookie values to put on whatever answer this request gets. */
  setCookies: string[];
}

export const appContext = createContext<App>();
export const requestContext = createContext<RequestState>();

/** The two as a route's functions use them. */
export function fromContext(context: Readonly<RouterContextProvider>): { app: App; state: RequestState } {
  return { app: context.get(appContext), state: context.get(requestContext) };
}
