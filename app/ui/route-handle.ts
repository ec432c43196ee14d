import type { ComponentType } from "react";
import type { Site } from "./site.ts";

export interface Flash {
  tone: "good" | "bad" | "plain";
  text: string;
}

/** What the console's header shows. */
export interface ConsoleFrame {
  /** Their email address. */
  operator: string;
  openWork: { unansweredMessages: number; undeliveredMails: number; failingJobs: number };
}

export interface RouteHandle {
  /** React runs in the browser: the page may have hooks and handlers. */
  hydrate?: boolean;
  isSignedIn?: boolean;
  /** The only script of a page that is not hydrated. */
  inlineScript?: "try-it" | "tell-opener" | "share";
  /** By default those of the account if it is hydrated. */
  styles?: "legal" | "console" | "account";
  header?: ComponentType<ConsoleFrame & { site: Site }>;
  hasFrames?: boolean;
  /** For pages of the console, by the `said` in the URL. */
  flash?: (said: string) => Flash | undefined;
  /** It may be a third-party widget. */
  hasWaitlist?: boolean;
  /** For those who have joined: the header does not ask them to. */
  isOnWaitlist?: boolean;
}

export function handleOf(matches: { handle?: unknown }[]): RouteHandle {
  return Object.assign({}, ...matches.map(({ handle }) => handle));
}
