/**
 * What a client makes of the HTTP status of an answer (spec §8, "Server HTTP statuses map to codes"). In the answer
 * itself the protocol's spelling stands: see callable.server.ts.
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

/** The code a client gives to a failed answer. A status the spec does not name is "internal". */
export function codeOf(status: number): ErrorCode {
  return Object.entries(CODE_BY_STATUS).find(([known]) => Number(known) === status)?.[1] ?? "internal";
}

/** An expected failure: what HTTP says about it, and what a person reads. */
export interface Failure {
  ok: false;
  status: ErrorStatus;
  message: string;
  /** Of the answer, when it says more than that. */
  headers?: Record<string, string>;
  /** How long it is of no use to try again, in seconds. */
  retryAfterSeconds?: number;
}

/** An expected failure that is about one field of a form. */
export interface FieldFailure extends Failure {
  field: string;
}

/** What people and programs read when something of ours broke. */
export const OUR_FAULT = "Something broke on our side. Try again in a moment.";

/** An expected failure, as a value. @param message for the person, in the spec's words where it has some */
export function failure(status: ErrorStatus, message: string): Failure {
  return { ok: false, status, message };
}
