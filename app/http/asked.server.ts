import type { IncomingMessage } from "node:http";

/** What of a request for a public page decides the answer, and whether it counts as a view. */
export interface Asked {
  isHead: boolean;
  acceptEncoding: string | undefined;
  ifNoneMatch: string | undefined;
  cookie: string | undefined;
  referrer: string | undefined;
  userAgent: string | undefined;
  /** Whether a browser fetches it before anybody wants to see it. */
  isAhead: boolean;
}

/**
 * Read from `rawHeaders`, because `request.headers` would parse all of them into an object: a good part of the cost of
 * answering from memory. A header that is split over several lines counts as one list.
 */
export function readAsked({ method, rawHeaders }: IncomingMessage): Asked {
  const asked: Asked = {
    isHead: method === "HEAD",
    acceptEncoding: undefined,
    ifNoneMatch: undefined,
    cookie: undefined,
    referrer: undefined,
    userAgent: undefined,
    isAhead: false,
  };
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? "";
    const value = rawHeaders[index + 1];
    // By length first: most names are none of these.
    if (name.length === 5) {
      // As Firefox said it.
      if (name.toLowerCase() === "x-moz") asked.isAhead ||= isAhead(value);
    } else if (name.length === 9) {
      // As Safari and link previews say it.
      if (name.toLowerCase() === "x-purpose") asked.isAhead ||= isAhead(value);
    } else if (name.length === 6) {
      if (name.toLowerCase() === "cookie") asked.cookie = joined(asked.cookie, "; ", value);
    } else if (name.length === 7) {
      const lower = name.toLowerCase();
      if (lower === "referer") asked.referrer = value;
      // As Safari and older browsers say it.
      else if (lower === "purpose") asked.isAhead ||= isAhead(value);
    } else if (name.length === 10) {
      if (name.toLowerCase() === "user-agent") asked.userAgent = value;
    } else if (name.length === 11) {
      if (name.toLowerCase() === "sec-purpose") asked.isAhead ||= isAhead(value);
    } else if (name.length === 13) {
      if (name.toLowerCase() === "if-none-match") asked.ifNoneMatch = joined(asked.ifNoneMatch, ", ", value);
    } else if (name.length === 15 && name.toLowerCase() === "accept-encoding")
      asked.acceptEncoding = joined(asked.acceptEncoding, ", ", value);
  }
  return asked;
}

/** Whether a request says that nobody looks at the page yet, in any spelling: "prefetch;prerender", "Preview". */
function isAhead(purpose: string | null | undefined): boolean {
  return /\b(?:prefetch|prerender|preview)\b/i.test(purpose ?? "");
}

/** The headers that say so. */
const PURPOSES = ["sec-purpose", "purpose", "x-purpose", "x-moz"];

/** The same for a request that the router has. */
export function isFetchedAhead({ headers }: Request): boolean {
  return PURPOSES.some((name) => isAhead(headers.get(name)));
}

function joined(before: string | undefined, separator: string, value: string | undefined) {
  return before === undefined ? value : before + separator + value;
}

/** The caches that what browsers fetched ahead is in, as `Clear-Site-Data` names them. */
export const WHAT_WAS_FETCHED_AHEAD = '"prefetchCache", "prerenderCache"';
