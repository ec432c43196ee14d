export const UTC = "UTC";

/** Like "America/Los_Angeles": no offsets, whose summer time nobody knows. */
const NAME = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/;

/** A time zone by its IANA name, as a browser sends it; `null` for what is none. */
export function readTimeZone(sent: string): string | null {
  if (!NAME.test(sent)) return null;
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone: sent }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
}
