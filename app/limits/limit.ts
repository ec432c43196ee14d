/** How often something may be done: at most `count` times in any `seconds`, for each of its windows. */
export interface Limit {
  /** The first part of its keys. Unique. */
  name: string;
  windows: readonly { count: number; seconds: number }[];
  /** What succeeded does not count. */
  countsOnlyFailures?: true;
}

/** In seconds. */
export const MINUTE = 60;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
