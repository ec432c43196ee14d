import type { ComponentType } from "react";
import type { Site } from "./site.ts";

/** The message of a page after one of its buttons was pressed. */
export interface Flash {
  tone: "good" | "bad" | "plain";
  text: string;
}

/** The `handle` export of a route. */
export interface RouteHandle {
  /** React runs in the browser: the page may have hooks and handlers. Without it a page is HTML only. */
  hydrate?: boolean;
  /** The header shows the account links instead of Login, if the user is signed in. */
  isSignedIn?: boolean;
  /** The only script of a page that is not hydrated. */
  inlineScript?: "try-it" | "tell-opener" | "share";
  /** Styles in addition to those of every page; by default those of the account if it is hydrated. */
  styles?: "legal" | "console" | "account";
  /** In place of the site’s header and footer. */
  header?: ComponentType<{ site: Site; operator: string }>;
  /** The page embeds other pages of this site in frames. */
  hasFrames?: boolean;
  /** For pages of the console: the message for the `said` in the URL. */
  flash?: (said: string) => Flash | undefined;
  /** The page has the waitlist, which may be a third-party widget. */
  hasWaitlist?: boolean;
}

/** The merged handles of a page's routes; inner routes override outer ones. */
export function handleOf(matches: { handle?: unknown }[]): RouteHandle {
  return Object.assign({}, ...matches.map(({ handle }) => handle));
}
