import { formatDay, formatEnd } from "./format-day.ts";
import { useFrame } from "./frame.ts";

/** A calendar day in words, in the reader's zone if it is known. For what ends or is due then: `FormattedEnd`. */
export function FormattedDate({ instant }: { instant: Date }) {
  const { timeZone } = useFrame();
  return (
    <time dateTime={instant.toISOString()} suppressHydrationWarning>
      {formatDay(instant, timeZone)}
    </time>
  );
}

/** The moment at which something ends or is due, in the reader's zone, or in UTC, and says in which. */
export function FormattedEnd({ instant }: { instant: Date }) {
  const { timeZone } = useFrame();
  return (
    <time dateTime={instant.toISOString()} suppressHydrationWarning>
      {formatEnd(instant, timeZone)}
    </time>
  );
}
