import { type Failure, failure } from "./errors.ts";
import { waitMessage } from "./wait.ts";

/**
 * What somebody is told who has had their turns: a failure for programs, and for a page's answer the words and, as its
 * `data` takes them, status and headers.
 */
export function tooMany(waitSeconds: number): Failure & { headers: Record<string, string> } {
  return {
    ...failure(429, waitMessage(waitSeconds)),
    headers: { "Retry-After": String(waitSeconds) },
  };
}
