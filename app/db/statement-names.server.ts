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
  const isLost = error instanceof DatabaseError && LOST.includes(error.code ?? "");
  if (isLost) areLost = true;
  return isLost;
}

/** A query of the driver without the name by which it is prepared; `null` when it has none. */
export function withoutName(query: unknown): object | null {
  if (typeof query !== "object" || query === null || !("name" in query) || !query.name) return null;
  return { ...query, name: undefined };
}
