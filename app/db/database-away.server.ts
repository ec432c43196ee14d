import { DrizzleQueryError } from "drizzle-orm";
import { DatabaseError } from "pg";

/** Thrown instead of asking a database that has just been seen not to answer, or that too many are waiting for. */
export class DatabaseAwayError extends Error {
  override name = "DatabaseAwayError";
}

/**
 * What PostgreSQL says when it cannot answer now (SQLSTATE, its manual's appendix A): a connection exception (08), no
 * room (53), not the primary (25006), a transaction that took too long (25P03, 25P04), a lock that took too long
 * (55P03), a statement that took too long (57014), shutting down or starting up (57P…), a disk that fails (58030).
 */
const AWAY_STATES = /^(08|53|25006$|25P03$|25P04$|55P03$|57014$|57P|58030$)/;

/** What Node says when nobody is reached. */
const NETWORK_CODES = new Set([
  ...["ECONNREFUSED", "ECONNRESET", "ECONNABORTED", "EPIPE", "ETIMEDOUT"],
  ...["EHOSTUNREACH", "ENETUNREACH", "ENOTFOUND", "EAI_AGAIN"],
]);

/** The driver's own words for a connection that is gone, or that it did not get: it gives them no codes. */
const DRIVER_MESSAGES =
  /^(Connection terminated|Query read timeout|timeout e|Client (has encountered|was closed)|Cannot use a pool after)/;

/**
 * Whether a query failed because the database is away or has too much to do, and may succeed in a moment: the one
 * place that decides it. Only what queries throw is to be judged by it; other services have other words.
 */
export function isDatabaseAway(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  if (thrown instanceof DrizzleQueryError) return isDatabaseAway(thrown.cause);
  return isAway(thrown);
}

function isAway(error: Error): boolean {
  // By name: server.ts and the build have a class each.
  if (error.name === "DatabaseAwayError") return true;
  if (error instanceof DatabaseError) return error.severity === "FATAL" || AWAY_STATES.test(error.code ?? "");
  if ("code" in error && typeof error.code === "string") return NETWORK_CODES.has(error.code);
  return DRIVER_MESSAGES.test(error.message);
}

/** Whether a statement was given up because what it must lock is in use (SQLSTATE 55P03). */
export function isLockTimeout(thrown: unknown): boolean {
  const error = thrown instanceof DrizzleQueryError ? thrown.cause : thrown;
  return error instanceof DatabaseError && error.code === "55P03";
}
