import { use } from "react";
import { formatDay, formatEnd } from "./format-day.ts";
import { RenderContext } from "./render-context.ts";

/** A calendar day in words, in the reader's zone if it is known. For what ends or is due then: `FormattedEnd`. */
export function FormattedDate({ instant }: { instant: Date }) {
  const { timeZone } = use(RenderContext);
  return <time dateTime={instant.toISOString()}>{formatDay(instant, timeZone)}</time>;
}

/** The moment at which something ends or is due, in the reader's zone, or in UTC, and says in which. */
export function FormattedEnd({ instant }: { instant: Date }) {
  const { timeZone } = use(RenderContext);
  return <time dateTime={instant.toISOString()}>{formatEnd(instant, timeZone)}</time>;
}
