/** Spec §8, "Server HTTP statuses map to codes". Bodies use the callable protocol's spelling: callable.server.ts. */
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

/** "internal" for a status that the spec does not name. */
export function codeOf(status: number): ErrorCode {
  return Object.entries(CODE_BY_STATUS).find(([known]) => Number(known) === status)?.[1] ?? "internal";
}

/** An expected failure, with a message for the user. */
export interface Failure {
  ok: false;
  status: ErrorStatus;
  message: string;
  headers?: Record<string, string>;
  retryAfterSeconds?: number;
}

export interface FieldFailure extends Failure {
  field: string;
}

export function failure(status: ErrorStatus, message: string): Failure {
  return { ok: false, status, message };
}
