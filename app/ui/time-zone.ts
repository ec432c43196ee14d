export const UTC = "UTC";

/** Like "America/Los_Angeles". Offsets are rejected, because they tell nothing about daylight saving time. */
const NAME = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/;

/** Parses the IANA time zone a browser sends; `null` when it is invalid. */
export function readTimeZone(sent: string): string | null {
  if (!NAME.test(sent)) return null;
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone: sent }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
}
