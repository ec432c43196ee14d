import type { IncomingHttpHeaders } from "node:http";

/** The headers by which browsers, and those that make link previews, say that nobody looks at the page yet. */
const PURPOSES = ["sec-purpose", "purpose", "x-purpose", "x-moz"];

/** Whether a request says that nobody looks at the page yet, in any spelling: "prefetch;prerender", "Preview". */
export function isPrefetch(headers: Headers | IncomingHttpHeaders): boolean {
  return PURPOSES.some((name) => {
    const purpose = headers instanceof Headers ? headers.get(name) : headers[name];
    return purpose ? /\b(?:prefetch|prerender|preview)\b/i.test(String(purpose)) : false;
  });
}

/** The caches that what browsers fetched ahead is in, as `Clear-Site-Data` names them. */
export const PREFETCH_CACHES = '"prefetchCache", "prerenderCache"';
