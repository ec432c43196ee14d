/** What a route says about itself in its `handle` export. */
export interface RouteHandle {
  /** Send scripts with this page. Without it a page has none. */
  hydrate?: boolean;
  /** The header offers the account instead of signing in, to whoever is signed in. */
  isSignedIn?: boolean;
  /** The one script of a page that otherwise has none. */
  inlineScript?: "try-it" | "tell-opener";
  /** The waitlist is on this page, so a third party's widget may be too. */
  hasWaitlist?: boolean;
}

/** What the routes of a page, from the root down, say together. */
export function handleOf(matches: { handle?: unknown }[]): RouteHandle {
  return Object.assign({}, ...matches.map(({ handle }) => handle));
}
