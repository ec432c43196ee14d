import { setTimeout as sleep } from "node:timers/promises";
import { summariseError } from "../log/log.server.ts";
import type { Finding } from "./finding.ts";

/** Longest time that any check may take but those that are given more, in milliseconds. */
const TIMEOUT_MILLISECONDS = 10_000;

/**
 * Runs a check, for a bounded time: a service that hangs must not keep the others from being reported.
 *
 * @returns what it found; that it took too long, or broke, is a finding as well
 */
export async function within(
  check: string,
  look: () => Promise<Omit<Finding, "check">[]>,
  milliseconds = TIMEOUT_MILLISECONDS,
): Promise<Finding[]> {
  const givenUp = new AbortController();
  const tooLong = sleep(milliseconds, undefined, { signal: givenUp.signal, ref: false }).then(
    (): Omit<Finding, "check">[] => [
      {
        level: "fail",
        says: `no answer within ${milliseconds / 1000} seconds`,
        advice: "try again; if it stays, look why it is slow",
      },
    ],
  );
  tooLong.catch(() => {});
  const found = await Promise.race([look().catch(describeFailure), tooLong]);
  givenUp.abort();
  return found.map((finding) => ({ check, ...finding }));
}

function describeFailure(error: unknown): Omit<Finding, "check">[] {
  return [{ level: "fail", says: `could not be checked: ${summariseError(error)}` }];
}
