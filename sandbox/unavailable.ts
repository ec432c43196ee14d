/** SQLSTATEs of a database that cannot serve now, and errors of sockets: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const AWAY_CODES =
  /^(08|53|57|25006$|25P0[34]$|55P03$|58030$|ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)/;
/** Errors of the driver, which have no code. */
const AWAY_MESSAGES =
  /^(Connection terminated|Query read timeout|timeout e|Client (has|was) |Cannot use a pool)/;

export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // The site's own pool says it in its own words.
  if (error.name === "DatabaseAwayError") return true;
  return "code" in error && typeof error.code === "string"
    ? AWAY_CODES.test(error.code)
    : AWAY_MESSAGES.test(error.message);
}

/**
 * Answers 503, as an error of Stripe's API, while the database is away. Stripe's SDK does not try it again by itself: its
 * caller has waited long enough.
 */
export async function orUnavailable(answer: () => Promise<Response>): Promise<Response> {
  try {
    return await answer();
  } catch (error) {
    if (!isDatabaseAway(error)) throw error;
    const message = "The sandbox's database is away. Try again in a moment.";
    const headers = { "cache-control": "no-store", "retry-after": "5", "stripe-should-retry": "false" };
    return Response.json({ error: { type: "api_error", message } }, { status: 503, headers });
  }
}
