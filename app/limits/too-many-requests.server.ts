import { type Failure, failure } from "../http/errors.ts";

const MINUTE = 60;
const HOUR = 60 * MINUTE;

/** What is answered past a limit, with the wait for people in words and for programs in seconds. */
export interface TooMany extends Failure {
  headers: Record<string, string>;
  retryAfterSeconds: number;
}

/** The answer when a limit is reached. */
export function tooMany(waitSeconds: number): TooMany {
  return {
    ...failure(429, `Wait ${inWords(waitSeconds)} and try again`),
    headers: { "Retry-After": String(waitSeconds) },
    retryAfterSeconds: waitSeconds,
  };
}

/** Seconds up to two minutes, then minutes up to two hours, then hours, rounded up: who waits that long gets on. */
function inWords(seconds: number): string {
  if (seconds === 1) return "1 second";
  if (seconds <= 2 * MINUTE) return `${seconds} seconds`;
  if (seconds <= 2 * HOUR) return `${Math.ceil(seconds / MINUTE)} minutes`;
  return `${Math.ceil(seconds / HOUR)} hours`;
}
