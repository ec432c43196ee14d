import { formatDay, formatDue, formatEnd } from "./format-day.ts";
import { useFrame } from "./frame.ts";

/** For what is due then: `FormattedDue`; for an end whose page has no other place for its time: `FormattedEnd`. */
export function FormattedDate({ instant }: { instant: Date }) {
  return <Formatted instant={instant} format={formatDay} />;
}

export function FormattedDue({ instant }: { instant: Date }) {
  return <Formatted instant={instant} format={formatDue} />;
}

export function FormattedEnd({ instant }: { instant: Date }) {
  return <Formatted instant={instant} format={formatEnd} />;
}

function Formatted({ instant, format }: { instant: Date; format: typeof formatDay }) {
  const { timeZone } = useFrame();
  return (
    <time dateTime={instant.toISOString()} suppressHydrationWarning>
      {format(instant, timeZone)}
    </time>
  );
}
