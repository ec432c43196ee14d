import { createHash } from "node:crypto";

/** The time of `work` on an idle machine, in milliseconds. */
const QUIET_MILLISECONDS = 70;
const ROUNDS = 5;

/** How many times as slow as a quiet machine this one is, at least 1; measured once a run, as its workers inherit it. */
process.env.TEST_PACE ??= String(Math.max(1, medianTime() / QUIET_MILLISECONDS));
const pace = Number(process.env.TEST_PACE);

/**
 * The timeout of a test or a wait, in milliseconds. Only hanging tests reach it: tests wait for events, and no assertion may
 * depend on how long one takes.
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
