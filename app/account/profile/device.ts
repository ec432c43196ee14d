import Bowser from "bowser";

/** What a browser says it is, as a person would: "Firefox on Linux". */
export function deviceOf(userAgent: string | null): string {
  if (!userAgent) return "Unknown device";
  const { browser, os } = Bowser.parse(userAgent);
  if (!browser.name && !os.name) return "Unknown device";
  return `${browser.name || "A browser"} on ${os.name || "an unknown system"}`;
}
