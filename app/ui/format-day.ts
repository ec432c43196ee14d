const FORMAT = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "long",
  year: "numeric",
  timeZone: "UTC",
});

/** A calendar day in UTC, in words: "21 November 2027". */
export function formatDay(instant: Date): string {
  return FORMAT.format(instant);
}
