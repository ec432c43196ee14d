import { DrizzleQueryError } from "drizzle-orm";
import { DatabaseError } from "pg";

/** No query was sent: the database has just failed to answer, or too many requests wait for it. */
export class DatabaseAwayError extends Error {
  override name = "DatabaseAwayError";
}

/**
 * PostgreSQL manual, appendix A: connection exceptions (08), insufficient resources (53), read-only (25006), transaction timeouts
 * (25P03, 25P04), lock timeout (55P03), statement timeout (57014), shutting down or starting up (57P…), I/O error (58030).
 */
const AWAY_STATES = /^(08|53|25006$|25P03$|25P04$|55P03$|57014$|57P|58030$)/;

const NETWORK_CODES = new Set(
  `ECONNREFUSED ECONNRESET ECONNABORTED EPIPE ETIMEDOUT
  EHOSTUNREACH ENETUNREACH ENOTFOUND EAI_AGAIN`.split(/\s+/),
);

/** Lost or refused connections, without a code. */
const DRIVER_MESSAGES =
  /^(Connection terminated|Query read timeout|timeout e|Client (has encountered|was closed)|Cannot use a pool after)/;

/** The only place that decides whether to retry later. For errors of queries only: other services have other codes. */
export function isDatabaseAway(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  if (thrown instanceof DrizzleQueryError) return isDatabaseAway(thrown.cause);
  return isAway(thrown);
}

function isAway(error: Error): boolean {
  // By name, because in development Node and Vite each load a copy of the class.
  if (error.name === "DatabaseAwayError") return true;
  if (error instanceof DatabaseError) return error.severity === "FATAL" || AWAY_STATES.test(error.code ?? "");
  if ("code" in error && typeof error.code === "string") return NETWORK_CODES.has(error.code);
  return DRIVER_MESSAGES.test(error.message);
}

/** Timed out waiting (SQLSTATE 55P03), or a deadlock (40P01). */
export function isLockConflict(thrown: unknown): boolean {
  const error = thrown instanceof DrizzleQueryError ? thrown.cause : thrown;
  return error instanceof DatabaseError && (error.code === "55P03" || error.code === "40P01");
}
