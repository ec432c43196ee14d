export const UTC = "UTC";

/** Not offsets, which tell nothing about daylight saving time. */
const NAME = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/;

/** An IANA time zone; `null`: invalid. */
export function readTimeZone(sent: string): string | null {
  if (!NAME.test(sent)) return null;
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone: sent }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
}
