export const NO_REFERRER = "";

export const OTHER_HOSTS = "other";

export const TRIED_IT = "/try-it";

const MAX_HOST_LENGTH = 100;

/** What follows the host may be about a person. @returns empty for none and our own; OTHER_HOSTS for one that is not public */
export function referringHost(referrer: string | undefined, ownHosts: ReadonlySet<string>): string {
  if (!referrer || !URL.canParse(referrer)) return NO_REFERRER;
  const { protocol, hostname } = new URL(referrer);
  const host = hostname.toLowerCase().replace(/^www\./, "");
  if (ownHosts.has(hostname) || ownHosts.has(host)) return NO_REFERRER;
  const isHost = ["http:", "https:", "android-app:"].includes(protocol) && /^[a-z0-9.-]+$/.test(host);
  // Names without a dot, and IP addresses, are of private networks.
  const isPublic = /\.[a-z][a-z0-9-]+$/.test(host) && !/\.(local|internal|lan|home\.arpa)$/.test(host);
  return isHost && isPublic && host.length <= MAX_HOST_LENGTH ? host : OTHER_HOSTS;
}

/** Search engines, previews of links, monitors, command lines. One that claims to be a browser is counted as one. */
const PROGRAMS =
  /(?<!cu)bot(?![a-z])|crawl|spider|slurp|archiver|preview|fetch|monitor|uptime|pingdom|statuscake|lighthouse|headless|facebookexternalhit|google-|googleother|mediapartners|feed|python|curl|wget|okhttp|go-http|node|axios|libwww|scrapy|phantom|gpt|claude|perplexity|bytespider|ahrefs|semrush|scan/i;

/** Browsers always send a User-Agent. */
export function isProgram(userAgent: string | undefined): boolean {
  return !userAgent?.startsWith("Mozilla/") || PROGRAMS.test(userAgent);
}
