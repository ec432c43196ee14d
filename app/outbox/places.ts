/** Share of the places for jobs that were tried before, so that those that keep failing slowly leave some to the others; of few places, all. */
const RETRY_SHARE = 3 / 4;

/** How many jobs may run at once. */
export interface Places {
  /** At the moment. */
  count(): number;
  /** How many of them may be jobs that were tried before. */
  retries(): number;
  /** A job was done. */
  grow(): void;
  /** Who is asked by the jobs wants to be asked less. @param startedAt when the job that was told so began, by `performance.now()` */
  shrink(startedAt: number): void;
}

/**
 * Additive increase, multiplicative decrease, as TCP has it (RFC 5681 §3.1): half as many whenever somebody is told that it is too
 * much, once for all that were under way then, and one more for each time that all places were done.
 *
 * @param most at least 1
 */
export function createPlaces(most: number): Places {
  let places = most;
  let shrunkAt = Number.NEGATIVE_INFINITY;
  return {
    count: () => Math.floor(places),
    retries: () => Math.ceil(Math.floor(places) * RETRY_SHARE),
    grow() {
      places = Math.min(most, places + 1 / places);
    },
    shrink(startedAt) {
      if (startedAt < shrunkAt) return;
      places = Math.max(1, places / 2);
      shrunkAt = performance.now();
    },
  };
}
