import { DrizzleQueryError } from "drizzle-orm";
import { DatabaseError } from "pg";

/** Whether a statement violated a unique constraint (SQLSTATE 23505): this one, or any. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  const cause = causeOf(error);
  return cause?.code === "23505" && (constraint === undefined || cause.constraint === constraint);
}

/** Whether a statement violated a foreign key, as when the referenced row is gone (SQLSTATE 23503). */
export function isForeignKeyViolation(error: unknown): boolean {
  return causeOf(error)?.code === "23503";
}

function causeOf(error: unknown): DatabaseError | null {
  const cause = error instanceof DrizzleQueryError ? error.cause : error;
  return cause instanceof DatabaseError ? cause : null;
}
