/** A point in time to the minute, as operators compare it with logs and with Stripe: 2026-11-22 14:03 UTC. */
export function Moment({ instant }: { instant: Date | null }) {
  if (!instant) return <span className="text-quiet">–</span>;
  const iso = instant.toISOString();
  return (
    <time dateTime={iso} title={`${iso.slice(0, 19).replace("T", " ")} UTC`} className="whitespace-nowrap">
      {iso.slice(0, 10)} {iso.slice(11, 16)}
    </time>
  );
}
