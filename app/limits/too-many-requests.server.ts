import { type Failure, failure } from "../http/errors.ts";

const MINUTE = 60;
const HOUR = 60 * MINUTE;

/** The failure past a limit, with the wait in words and in seconds. */
export interface TooManyRequests extends Failure {
  headers: Record<string, string>;
  retryAfterSeconds: number;
}

export function tooManyRequests(retryAfterSeconds: number): TooManyRequests {
  return {
    ...failure(429, `Wait ${inWords(retryAfterSeconds)} and try again`),
    headers: { "Retry-After": String(retryAfterSeconds) },
    retryAfterSeconds,
  };
}

/** Seconds up to two minutes, then minutes up to two hours, then hours, rounded up. */
function inWords(seconds: number): string {
  if (seconds === 1) return "1 second";
  if (seconds <= 2 * MINUTE) return `${seconds} seconds`;
  if (seconds <= 2 * HOUR) return `${Math.ceil(seconds / MINUTE)} minutes`;
  return `${Math.ceil(seconds / HOUR)} hours`;
}
