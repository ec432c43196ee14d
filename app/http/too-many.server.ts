import { type Failure, failure } from "./errors.ts";

/**
 * What somebody is told who has had their turns: a failure for programs, and for a page's answer the words and, as its
 * `data` takes them, status and headers.
 */
export function tooMany(waitSeconds: number): Failure & { headers: Record<string, string> } {
  const seconds = waitSeconds === 1 ? "1 second" : `${waitSeconds} seconds`;
  return {
    ...failure(429, `Wait ${seconds} and try again`),
    headers: { "Retry-After": String(waitSeconds) },
  };
}
