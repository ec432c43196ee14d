import { DrizzleQueryError } from "drizzle-orm";

/** Whether a statement violated a unique constraint (SQLSTATE 23505). */
export function isUniqueViolation(error: unknown): boolean {
  return codeOf(error) === "23505";
}

/** Whether a statement violated a foreign key, as when the referenced row is gone (SQLSTATE 23503). */
export function isForeignKeyViolation(error: unknown): boolean {
  return codeOf(error) === "23503";
}

function codeOf(error: unknown): unknown {
  const cause = error instanceof DrizzleQueryError ? error.cause : error;
  return cause && typeof cause === "object" && "code" in cause ? cause.code : undefined;
}
