import { DrizzleQueryError } from "drizzle-orm";
import { DatabaseError } from "pg";

/** SQLSTATEs: the prepared statement does not exist, or exists already. */
const LOST = ["26000", "42P05"];

let areLost = false;

/**
 * Whether what is behind the connections keeps no prepared statements: a pooler that gives each transaction another connection
 * and does not remember what was prepared on which (PgBouncer before 1.21, or without `max_prepared_statements`). From the first
 * statement that is missing on, this process prepares none.
 */
export function areNamesLost(): boolean {
  return areLost;
}

/** @returns whether that is what a named statement failed for: it was not run, and can be sent without its name */
export function noteLostName(error: unknown): boolean {
  const isLost = isLostName(error);
  if (isLost) areLost = true;
  return isLost;
}

/** The same of a whole transaction, which was rolled back for it and can be done again. */
export function isLostName(error: unknown): boolean {
  const cause = error instanceof DrizzleQueryError ? error.cause : error;
  return cause instanceof DatabaseError && LOST.includes(cause.code ?? "");
}

/** A query of the driver without the name by which it is prepared; `null` when it has none. */
export function withoutName(query: unknown): object | null {
  if (typeof query !== "object" || query === null || !("name" in query) || !query.name) return null;
  return { ...query, name: undefined };
}
