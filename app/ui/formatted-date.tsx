import { formatDay, formatEnd } from "./format-day.ts";
import { useFrame } from "./frame.ts";

/** For what ends or is due then: `FormattedEnd`. */
export function FormattedDate({ instant }: { instant: Date }) {
  const { timeZone } = useFrame();
  return (
    <time dateTime={instant.toISOString()} suppressHydrationWarning>
      {formatDay(instant, timeZone)}
    </time>
  );
}

export function FormattedEnd({ instant }: { instant: Date }) {
  const { timeZone } = useFrame();
  return (
    <time dateTime={instant.toISOString()} suppressHydrationWarning>
      {formatEnd(instant, timeZone)}
    </time>
  );
}
