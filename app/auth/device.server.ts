import Bowser from "bowser";

/** In characters; browsers use 100 to 300, and patterns take longer for longer text. */
const LONGEST_USER_AGENT = 500;

/** What a browser says it is, in words: "Firefox on Linux". */
export function deviceOf(userAgent: string | null): string {
  if (!userAgent) return "Unknown device";
  const { browser, os } = Bowser.parse(userAgent.slice(0, LONGEST_USER_AGENT));
  if (!browser.name && !os.name) return "Unknown device";
  return `${browser.name || "A browser"} on ${os.name || "an unknown system"}`;
}
