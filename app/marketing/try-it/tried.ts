/** Counted as a page view. An image's URL, which the policy of public pages allows a script to request. */
export function loader() {
  return new Response(null, { status: 204, headers: { "Cache-Control": "no-store" } });
}
