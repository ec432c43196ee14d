/** The `handle` export of a route. */
export interface RouteHandle {
  /** The page has the script of the account pages, and may have a form to sign in. Without it a page has no scripts. */
  hasScript?: boolean;
  /** The header shows the account links instead of Login, if the user is signed in. */
  isSignedIn?: boolean;
  /** The only script of a page without that one. */
  inlineScript?: "try-it" | "tell-opener" | "share";
  /** The styles it needs besides those of every page; for pages without the script. */
  styles?: "legal" | "console";
  /** The page shows others of this site in frames. */
  hasFrames?: boolean;
  /** The page has the waitlist, which may be a third-party widget. */
  hasWaitlist?: boolean;
}

/** The merged handles of a page's routes; inner routes override outer ones. */
export function handleOf(matches: { handle?: unknown }[]): RouteHandle {
  return Object.assign({}, ...matches.map(({ handle }) => handle));
}
