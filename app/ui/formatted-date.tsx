import { formatDay } from "./format-day.ts";

/** A calendar day in UTC, in words. */
export function FormattedDate({ instant }: { instant: Date }) {
  return <time dateTime={instant.toISOString()}>{formatDay(instant)}</time>;
}
