import { createContext, type RouterContextProvider } from "react-router";
import type { Auth } from "../auth/auth.server.ts";
import type { Providers } from "../auth/providers/connect.server.ts";
import type { Session } from "../auth/session.server.ts";
import type { Payments } from "../billing/stripe.server.ts";
import type { Config } from "../config/config.server.ts";
import type { Database } from "../db/client.server.ts";
import type { HostedApp } from "../hosted-app/hosted-app.server.ts";
import type { Log } from "../log/log.server.ts";
import type { Mailer } from "../mail/mail.server.ts";
import type { Refusal } from "./request-target.ts";

/** What the process has, made once in app.server.ts and handed to every loader and action. */
export interface App {
  config: Config;
  db: Database;
  auth: Auth;
  providers: Providers;
  payments: Payments;
  mailer: Mailer;
  /** Whoever hands its users over to us; `null`: nobody does. */
  hostedApp: HostedApp | null;
  log: Log;
  /** There is a new row in the outbox. */
  wakeWorkers: () => void;
}

/** The client of a request that is our own, for a page to be kept: nobody is told its id. */
export const OURSELVES = "here";

/** What belongs to one request and is gone after it. */
export interface RequestState {
  id: string;
  nonce: string;
  /** Whom the limits take its sender for: see client-address.ts. */
  client: string;
  /** Why no route is asked: not-found.tsx shows it. */
  refusal?: Refusal;
  /** Set-Cookie values to put on whatever answer this request gets. */
  setCookies: string[];
  /** Read at most once a request, and only when asked for: public pages never ask. */
  session?: Promise<Session | null>;
}

export const appContext = createContext<App>();
export const requestContext = createContext<RequestState>();

/** The two as a route's functions use them. */
export function fromContext(context: Readonly<RouterContextProvider>): { app: App; state: RequestState } {
  return { app: context.get(appContext), state: context.get(requestContext) };
}
