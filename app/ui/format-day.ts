import { UTC } from "./time-zone.ts";

const DAY = { month: "long", day: "numeric", year: "numeric" } as const;
const TIME = { hour: "numeric", minute: "2-digit", timeZoneName: "short" } as const;

type Formats = Record<"day" | "time", Intl.DateTimeFormat>;

/** By zone, because creating a format takes longer than using it. Only existing zones are added. */
const FORMATS = new Map<string, Formats>();

/** In UTC without a zone, or with one that only another version of Node knows. */
function formatsFor(timeZone: string | null | undefined): Formats {
  const zone = timeZone ?? UTC;
  const known = FORMATS.get(zone);
  if (known) return known;
  try {
    const day = new Intl.DateTimeFormat("en-US", { ...DAY, timeZone: zone });
    const time = new Intl.DateTimeFormat("en-US", { ...TIME, timeZone: zone });
    FORMATS.set(zone, { day, time });
    return { day, time };
  } catch {
    return formatsFor(UTC);
  }
}

/** In the reader's zone or in UTC: "November 21, 2027". */
export function formatDay(instant: Date, timeZone?: string | null): string {
  return formatsFor(timeZone).day.format(instant);
}

const TIME_MATTERS_MILLISECONDS = 48 * 60 * 60 * 1000;

/** Like `formatEnd` in the last 48 hours before it, else like `formatDay`. */
export function formatDue(instant: Date, timeZone?: string | null): string {
  const isSoon = instant.getTime() - Date.now() < TIME_MATTERS_MILLISECONDS;
  return isSoon ? formatEnd(instant, timeZone) : formatDay(instant, timeZone);
}

/** In the reader's zone or in UTC, which it names, since a day alone would be another one elsewhere: "November 26, 2026, 6:00 PM PST". */
export function formatEnd(instant: Date, timeZone?: string | null): string {
  const { day, time } = formatsFor(timeZone);
  // Intl puts a narrow no-break space before AM and PM, which fonts and mail programs may lack.
  return `${day.format(instant)}, ${time.format(instant).replaceAll("\u202f", " ")}`;
}
