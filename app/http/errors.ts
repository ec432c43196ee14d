/**
 * The code that a client derives from an HTTP status (spec §8, "Server HTTP statuses map to codes"). Response bodies use
 * the callable protocol's spelling: see callable.server.ts.
 */
export const CODE_BY_STATUS = {
  400: "invalid-argument",
  401: "unauthenticated",
  403: "permission-denied",
  404: "not-found",
  409: "aborted",
  429: "resource-exhausted",
  499: "cancelled",
  500: "internal",
  501: "unimplemented",
  503: "unavailable",
  504: "deadline-exceeded",
} as const;

export type ErrorStatus = keyof typeof CODE_BY_STATUS;
export type ErrorCode = (typeof CODE_BY_STATUS)[ErrorStatus];

/** The code for an HTTP status; "internal" for one that the spec does not name. */
export function codeOf(status: number): ErrorCode {
  return Object.entries(CODE_BY_STATUS).find(([known]) => Number(known) === status)?.[1] ?? "internal";
}

/** An expected failure: its HTTP status and a message for the user. */
export interface Failure {
  ok: false;
  status: ErrorStatus;
  message: string;
  /** Additional response headers. */
  headers?: Record<string, string>;
  /** When to try again, in seconds from now. */
  retryAfterSeconds?: number;
}

/** An expected failure of one form field. */
export interface FieldFailure extends Failure {
  field: string;
}

/** @param message for the user, in the spec's wording where it has one */
export function failure(status: ErrorStatus, message: string): Failure {
  return { ok: false, status, message };
}
