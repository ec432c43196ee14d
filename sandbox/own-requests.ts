const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Why a request is not for the sandboxes, where anybody may be anybody: it names a host that is not theirs, as a page does
 * whose name was made to lead to this machine (DNS rebinding), or another site's page wants to write. `null`: it is. Programs
 * such as Stripe's SDK send none of a browser's headers and may write.
 *
 * @param ownHosts hostnames beside those of loopback
 */
export function refuseForeign(request: Request, ownHosts: readonly string[]): Response | null {
  const { method, headers } = request;
  const isOwn = (url: string) => {
    const hostname = URL.parse(url)?.hostname;
    return hostname !== undefined && (isLoopback(hostname) || ownHosts.includes(hostname));
  };
  if (!isOwn(`http://${headers.get("host") ?? new URL(request.url).host}`))
    return refusal(421, "The sandboxes answer at localhost and at the host of PUBLIC_ORIGIN only.");
  if (SAFE_METHODS.has(method)) return null;
  const site = headers.get("sec-fetch-site");
  const origin = headers.get("origin");
  // A page without a referrer says "null", and the browser then says whose it is.
  const isOwnOrigin = origin === null || (origin === "null" ? site !== null : isOwn(origin));
  if (isOwnOrigin && (site === null || /^(same-origin|same-site|none)$/.test(site))) return null;
  return refusal(403, "Pages of other sites may not write to the sandboxes.");
}

/** Whether a URL's hostname is that of this machine alone. */
function isLoopback(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/.test(hostname);
}

function refusal(status: number, text: string): Response {
  return new Response(`${text}\n`, { status, headers: { "Content-Type": "text/plain; charset=utf-8" } });
}
