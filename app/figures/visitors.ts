/** No referrer, or our own. */
export const NO_REFERRER = "";

/** Replaces all hosts that are not counted by name. */
export const OTHER_HOSTS = "other";

/** Counted like a page: the example on the public pages was used. */
export const TRIED_IT = "/try-it";

/** Longer ones are no host that people link from. */
const MAX_HOST_LENGTH = 100;

/**
 * The host that led here: of a Referer header nothing else is looked at, because what follows the host may be about
 * a person.
 *
 * @param ownHosts in lower case
 * @returns in lower case, without port and `www.`; empty for none and for our own; OTHER_HOSTS for what is no public host
 */
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

/**
 * How programs that fetch pages call themselves: search engines, previews of links, monitors, command lines. Most name
 * themselves; one that claims to be a browser is counted as one.
 */
const PROGRAMS =
  /(?<!cu)bot(?![a-z])|crawl|spider|slurp|archiver|preview|fetch|monitor|uptime|pingdom|statuscake|lighthouse|headless|facebookexternalhit|google-|googleother|mediapartners|feed|python|curl|wget|okhttp|go-http|node|axios|libwww|scrapy|phantom|gpt|claude|perplexity|bytespider|ahrefs|semrush|scan/i;

/** Whether a User-Agent header is that of a program, or of none: browsers always send one. */
export function isProgram(userAgent: string | undefined): boolean {
  return !userAgent?.startsWith("Mozilla/") || PROGRAMS.test(userAgent);
}
