import { DrizzleQueryError } from "drizzle-orm";

/** Whether a statement was refused because another row has the same value (SQLSTATE 23505). */
export function isUniqueViolation(error: unknown): boolean {
  return codeOf(error) === "23505";
}

/** Whether a statement was refused because the row it refers to is gone (SQLSTATE 23503). */
export function isForeignKeyViolation(error: unknown): boolean {
  return codeOf(error) === "23503";
}

function codeOf(error: unknown): unknown {
  const cause = error instanceof DrizzleQueryError ? error.cause : error;
  return cause && typeof cause === "object" && "code" in cause ? cause.code : undefined;
}
