/**
 * The example's form was used, which the app counts as it counts views of pages: by day and referring host, with nothing about who it was.
 * An image's address, because that is what the policy of public pages lets a script ask for.
 */
export function loader() {
  return new Response(null, { status: 204, headers: { "Cache-Control": "no-store" } });
}
