/** A request that is as hard to answer as its limits let it be, or harder. */
export interface Input {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

/** 2 bytes each, and the more of them are in a row the longer Unicode takes to put them in order. */
const MARKS = "\u0315\u0300\u05ae\u0327";
/** Names that are of no form, that Conform reads as lists and objects, or that it sends itself messages in. */
const ODD_NAMES = [
  "a[99999999]",
  "a[b][c][d]",
  "a.b.c.d",
  "__intent__",
  "__state__",
  "__proto__",
  "constructor",
];
const QUERY_NAMES = [
  ...[
    "promo",
    "plan",
    "billing",
    "return_to",
    "reason",
    "provider",
    "error",
    "intent",
    "nonce",
    "state",
    "code",
  ],
  ...["token", "ref", "topic", "category", "keywords", "session_id", "done", "sent", "_routes", "index"],
];
const JSON_NAMES = ["data", "displayName", "photoUrl", "deleteAttribute", "idToken", "id", "type"];
const FORM = { "content-type": "application/x-www-form-urlencoded" };
const JSON_TYPE = { "content-type": "application/json" };

/** As many bytes of `unit` as fit. */
function fill(unit: string, bytes: number): string {
  return unit.repeat(Math.floor(bytes / Buffer.byteLength(unit)));
}

function worstForms(names: string[]): string[] {
  const kilobytes = 62 * 1024;
  const others = names.map((name) => `${name}=x`).join("&");
  return [
    ...names.map((name) => `${others.replace(`${name}=x`, `${name}=${fill(MARKS, kilobytes)}`)}`),
    names.map((name) => `${name}=${fill("%", kilobytes / names.length)}`).join("&"),
    names.map((name) => `${name}=${fill("a@", kilobytes / names.length)}`).join("&"),
    fill(`${names[0] ?? "email"}=a&`, kilobytes),
    Array.from({ length: 100 }, (_, at) => `f${at}=${fill(MARKS, 600)}`).join("&"),
    ODD_NAMES.map((name) => `${name}=${fill("[", 8 * 1024)}`).join("&"),
    fill("a[0]", kilobytes),
  ];
}

function worstJson(): string[] {
  const kilobytes = 31 * 1024;
  const deep = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
  return [
    ...JSON_NAMES.map((name) => JSON.stringify({ data: {}, [name]: fill(MARKS, kilobytes) })),
    JSON.stringify({
      data: { price: fill(MARKS, 9000), success_url: fill(MARKS, 9000), cancel_url: fill("%", 9000) },
    }),
    `{"data":[${Array(Math.floor(kilobytes / 63))
      .fill(deep(31))
      .join(",")}]}`,
    `{"data":{${Array.from({ length: 3000 }, (_, at) => `"${at}":1`).join(",")}}}`,
    JSON.stringify({ deleteAttribute: Array(6000).fill("PH") }),
    `{"data":${"9".repeat(kilobytes)}}`,
    deep(kilobytes / 2),
  ];
}

/** Headers of 12 KB, which is about what Node takes of all of them. */
export const WORST_HEADERS: Record<string, string>[] = [
  { cookie: fill("session=a.b; ", 12_000) },
  { cookie: `session=${fill("%", 12_000)}` },
  { "user-agent": `Mozilla/5.0 (${fill("Android 1.", 12_000)}` },
  { "accept-encoding": fill("br;q=0.1,", 12_000), "if-none-match": "*," },
  { "if-none-match": fill('W/"a",', 12_000), authorization: "Bearer a.b.c" },
  { "x-forwarded-for": fill("127.0.0.1,", 12_000) },
  { "x-forwarded-for": `${fill("[:", 12_000)}]`, referer: fill("/login", 500) },
  { authorization: `Bearer ${fill("a.", 12_000)}`, range: fill("bytes=0-1,", 1000) },
];

function worstQueries(): string[] {
  return [
    ...chunksOf(3, QUERY_NAMES).map((names) =>
      names.map((name) => `${name}=${fill("%CC%95", 2600)}`).join("&"),
    ),
    QUERY_NAMES.map((name) => `${name}=${fill("/", 300)}`).join("&"),
    fill("a&", 7900),
    fill("return_to=%2F%2F&", 1600),
  ];
}

/** What a page may be asked with. */
export function getting(path: string): Input[] {
  const query = worstQueries().map((query): Input => ({ method: "GET", path: `${path}?${query}` }));
  return [...query, ...WORST_HEADERS.map((headers): Input => ({ method: "GET", path, headers }))];
}

/** @param names of the fields a page has */
export function posting(
  method: string,
  path: string,
  names: string[],
  headers: Record<string, string> = {},
): Input[] {
  return [
    ...worstForms(names).map((body): Input => ({ method, path, headers: { ...FORM, ...headers }, body })),
    ...worstJson().map((body): Input => ({ method, path, headers: { ...JSON_TYPE, ...headers }, body })),
    {
      method,
      path,
      headers: { "content-type": "multipart/form-data; boundary=x", ...headers },
      body: fill("--x\r\n", 60_000),
    },
  ];
}

function chunksOf<Item>(size: number, items: readonly Item[]): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) =>
    items.slice(at * size, (at + 1) * size),
  );
}
