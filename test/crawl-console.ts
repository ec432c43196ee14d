/** What is typed into a filter or a search of the console, by the name of its field; several are tried one by one. */
const TYPED: Record<string, string[]> = {
  q: [
    ...["person77", "nobody", "ada 7", "CODE77", "user77", "session77", "cus_77", "sub_77", "in_77", "pi_77"],
    ...[
      "cs_77",
      "price_csv_only_monthly",
      "N-77",
      "send mail",
      "777",
      "person77@example.com",
      "waiting77@example.com",
      "zzz",
    ],
  ],
  email: ["p", "person9999", "nobody", "waiting5"],
  name: ["a", "ada 55", "zzz"],
  code: ["C", "CODE123", "ZZZ"],
  job: ["777", "zzz"],
  recipient: ["p", "person9999", "nobody"],
  actor: ["admin1@example.com", "npm run ops", "nobody"],
  action: ["promo_code.paused", "zzz.zzz"],
  subject: ["user:user77", "zzz:1"],
};

export interface CrawledPage {
  path: string;
  status: number;
  milliseconds: number;
}

/** A page of each kind is enough, with each of its filters and sorts. */
const MOST_PAGES = 400;

/**
 * Asks for every page of the console that links, sorts, filters and searches lead to, one after the other. Two addresses
 * that differ in ids and cursors only are the same.
 *
 * @param cookie the operator's
 * @param unlinked pages to begin with besides the overview
 */
export async function* crawlConsole(
  origin: string,
  cookie: string,
  unlinked: readonly string[] = [],
): AsyncGenerator<CrawledPage> {
  const waiting = ["/admin", ...unlinked];
  const seen = new Set<string>();
  for (let path = waiting.shift(); path !== undefined && seen.size < MOST_PAGES; path = waiting.shift()) {
    if (seen.has(kindOf(path))) continue;
    seen.add(kindOf(path));
    const begun = performance.now();
    const answer = await fetch(origin + path, { headers: { cookie }, redirect: "manual" });
    const html = await answer.text();
    yield { path, status: answer.status, milliseconds: performance.now() - begun };
    const location = answer.headers.get("location");
    const found = [...linksOf(html), ...formsOf(html), ...(location ? [location] : [])];
    for (const link of found) {
      const url = new URL(link, origin + path);
      const isFile = url.pathname.endsWith(".csv") || url.pathname.endsWith("/export");
      if (url.origin === origin && /^\/admin(\/|$)/.test(url.pathname) && !isFile)
        waiting.push(url.pathname + url.search);
    }
  }
}

/** The same for addresses of the same page, whatever it is about and wherever in a list. */
function kindOf(path: string): string {
  const url = new URL(path, "http://same.invalid");
  const pathname = url.pathname
    .split("/")
    .map((part) => (/\d|[A-Z]/.test(part) ? "*" : part))
    .join("/");
  const query = [...url.searchParams]
    .filter(([, value]) => value !== "")
    .map(([name, value]) => {
      const isOne = TYPED[name]?.includes(value) || !/[\d@]/.test(value);
      return isOne && !["after", "before", "by", "batch"].includes(name) ? `${name}=${value}` : name;
    });
  return `${pathname}?${query.toSorted().join("&")}`;
}

const unescaped = (text: string) =>
  text.replaceAll("&amp;", "&").replaceAll("&quot;", '"').replaceAll("&#x27;", "'");

const linksOf = (html: string) =>
  [...html.matchAll(/<a [^>]*href="([^"]+)"/g)].map(([, href = ""]) => unescaped(href));

/** Where the forms that change nothing lead, with each of their choices and something typed. */
function formsOf(html: string): string[] {
  return [...html.matchAll(/<form ([^>]*)>(.*?)<\/form>/gs)].flatMap(([, attributes = "", inside = ""]) => {
    const action = /action="([^"]+)"/.exec(attributes)?.[1];
    if (!action || /method="post"/i.test(attributes)) return [];
    const typed = [...inside.matchAll(/<input [^>]*name="(\w+)"/g)].flatMap(([, name = ""]) =>
      (TYPED[name] ?? []).map((value) => [name, value] as const),
    );
    const chosen = [...inside.matchAll(/<select [^>]*name="(\w+)".*?<\/select>/gs)].flatMap(
      ([select, name = ""]) =>
        [...select.matchAll(/<option [^>]*value="([^"]+)"/g)].map(
          ([, value = ""]) => [name, unescaped(value)] as const,
        ),
    );
    return [...typed, ...chosen].map((field) => `${unescaped(action)}?${new URLSearchParams([[...field]])}`);
  });
}
