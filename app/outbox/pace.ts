/** How many jobs may begin in a second. */
export interface Pace {
  /** How many may begin now. */
  allowed(): number;
  began(jobs: number): void;
  /** In how many milliseconds the next may. */
  nextIn(): number;
}

/** A token bucket that holds a second's worth. @param perSecond at least 1; infinite for no limit */
export function createPace(perSecond: number, now: () => number = () => performance.now()): Pace {
  let tokens = perSecond;
  let filledAt = now();

  function fill(): number {
    const at = now();
    tokens = Math.min(perSecond, tokens + ((at - filledAt) / 1000) * perSecond);
    filledAt = at;
    return tokens;
  }

  if (perSecond === Number.POSITIVE_INFINITY)
    return { allowed: () => perSecond, began: () => {}, nextIn: () => 0 };
  return {
    allowed: () => Math.floor(fill()),
    began(jobs) {
      tokens -= jobs;
    },
    nextIn: () => Math.ceil((Math.max(0, 1 - fill()) * 1000) / perSecond),
  };
}
