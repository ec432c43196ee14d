import { DrizzleQueryError } from "drizzle-orm";
import { DatabaseError } from "pg";

/** SQLSTATE 23505. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  const cause = causeOf(error);
  return cause?.code === "23505" && (constraint === undefined || cause.constraint === constraint);
}

/** SQLSTATE 23503. */
export function isForeignKeyViolation(error: unknown): boolean {
  return causeOf(error)?.code === "23503";
}

function causeOf(error: unknown): DatabaseError | null {
  const cause = error instanceof DrizzleQueryError ? error.cause : error;
  return cause instanceof DatabaseError ? cause : null;
}
