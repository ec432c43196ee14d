import { DrizzleQueryError } from "drizzle-orm";
import { DatabaseError } from "pg";

/** SQLSTATEs: the prepared statement does not exist, or exists already. */
const LOST = ["26000", "42P05"];

/**
 * What the connections of a pool know of each other: whether what is behind them keeps no prepared statements, as a pooler
 * that gives each transaction another connection and does not remember what was prepared on which (PgBouncer before 1.21, or
 * without `max_prepared_statements`). From the first statement that is missing on, the pool prepares none.
 */
export class StatementNames {
  areLost = false;

  /** @returns whether that is what a named statement failed for: it was not run, and can be sent without its name */
  note(error: unknown): boolean {
    const isLost = isLostName(error);
    if (isLost) this.areLost = true;
    return isLost;
  }
}

/** Whether a statement, or the transaction that was rolled back for it, failed because its name was lost. */
export function isLostName(error: unknown): boolean {
  const cause = error instanceof DrizzleQueryError ? error.cause : error;
  return cause instanceof DatabaseError && LOST.includes(cause.code ?? "");
}

/** A query of the driver without the name by which it is prepared; `null` when it has none. */
export function withoutName(query: unknown): object | null {
  if (typeof query !== "object" || query === null || !("name" in query) || !query.name) return null;
  return { ...query, name: undefined };
}
