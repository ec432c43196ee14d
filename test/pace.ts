import { createHash } from "node:crypto";

/** What `work` takes on a machine with nothing else to do. */
const QUIET_MILLISECONDS = 70;
const ROUNDS = 5;

/** How many times as slow as a quiet machine this one is, at least 1; measured once a run, as its workers inherit it. */
process.env.TEST_PACE ??= String(Math.max(1, medianTime() / QUIET_MILLISECONDS));
const pace = Number(process.env.TEST_PACE);

/**
 * In milliseconds, when a test or a wait is given up. Only what hangs gets there: a test waits for events, and no assertion may depend on
 * how long one takes.
 */
export const GIVE_UP_AFTER = Math.round(240_000 * pace);
export const GIVE_UP_WAITING_AFTER = Math.round(60_000 * pace);

function medianTime(): number {
  const times = Array.from({ length: ROUNDS }, () => {
    const begun = performance.now();
    let digest = "";
    for (let round = 0; round < 60_000; round++) digest = createHash("sha256").update(digest).digest("hex");
    return performance.now() - begun;
  });
  return times.sort((one, other) => one - other)[Math.floor(ROUNDS / 2)] ?? 0;
}
