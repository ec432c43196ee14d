const FORMAT = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "long",
  year: "numeric",
  timeZone: "UTC",
});

/** A calendar day in UTC, in words. */
export function FormattedDate({ instant }: { instant: Date }) {
  return <time dateTime={instant.toISOString()}>{FORMAT.format(instant)}</time>;
}

/** The same where there are no elements. */
export function formatDay(instant: Date): string {
  return FORMAT.format(instant);
}
