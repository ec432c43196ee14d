/** At most `count` hits within any `seconds`, for each window. */
export interface Limit {
  /** Unique; the prefix of its keys. */
  name: string;
  windows: readonly { count: number; seconds: number }[];
  countsOnlyFailures?: true;
}

/** Successes count, too. */
export type PlainLimit = Limit & { countsOnlyFailures?: never };

/** A window of a limit. */
export const per = (count: number, seconds: number) => ({ count, seconds });

/** In seconds. */
export const MINUTE = 60;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
