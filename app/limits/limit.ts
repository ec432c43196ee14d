/** A rate limit: at most `count` hits within any `seconds`, for each of its windows. */
export interface Limit {
  /** Unique; the prefix of its keys. */
  name: string;
  windows: readonly { count: number; seconds: number }[];
  /** Successes are refunded. */
  countsOnlyFailures?: true;
}

/** In seconds. */
export const MINUTE = 60;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
