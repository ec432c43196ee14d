import { formatDay, formatEnd } from "./format-day.ts";
import { useFrame } from "./frame.ts";

/** For what ends or is due then: `FormattedEnd`. */
export function FormattedDate({ instant }: { instant: Date }) {
  return <Formatted instant={instant} format={formatDay} />;
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
