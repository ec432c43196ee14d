/** Says that a page's script sends a form, so that a redirect can be told to it: `fetch` would follow it unseen. */
export const SENT_BY_SCRIPT = "X-Sent-By-Script";
/** Where the answer to such a form leads. */
export const LEADS_TO = "X-Leads-To";

/** Whether a page's script asks, and not the browser itself. */
export function isSentByScript({ headers }: Request): boolean {
  return headers.has(SENT_BY_SCRIPT);
}

/**
 * The answer as a page's script can use it: with a 204 that names the next page instead of a redirect. The script has the
 * browser open that as a document, which may be of another origin.
 */
export function tellScript(request: Request, answer: Response): Response {
  const location = answer.headers.get("Location");
  if (!isSentByScript(request) || location === null) return answer;
  if (answer.status !== 302 && answer.status !== 303) return answer;
  const headers = new Headers(answer.headers);
  headers.delete("Location");
  headers.set(LEADS_TO, location);
  return new Response(null, { status: 204, headers });
}
