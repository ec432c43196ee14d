import { appEntrances, sandboxEntrances } from "../test/entrances.ts";

/** The next number of a row, from 0 to 1. */
export type Random = () => number;

/** Numbers that are the same for the same seed (mulberry32). */
export function randomFrom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Characters up to U+00FF are sent as bytes. */
const words = (text: string) => text.trim().split(/ +|\n/).filter(Boolean);
const lines = (text: string) => text.trim().split("\n");

const ENTRANCES = [...appEntrances(), ...sandboxEntrances()];
const BITS = [
  ...words(String.raw`% %0 %zz %00 %09 %0d%0a %ff %c0%af %ED%A0%80 %2e%2e/ %2f %5c \ // /./ ..;/ [ ] { } | ^ ' " < * ~ ; : @ & = + # ? .data
    __proto__ constructor a[9999999] a[b][c] a.b.c null NaN -1 1e999 _routes=a;b`),
  ...["\xff\xfe", "\x80", "\0", "\t", "a".repeat(9000), "%CC%95".repeat(900), "\xcc\x95".repeat(9000)],
];
const METHODS = words("PUT PATCH DELETE OPTIONS TRACE CONNECT PROPFIND QUERY SEARCH get FOO PRI HEAD HEAD");
const VERSIONS = ["HTTP/1.0", "HTTP/0.9", "HTTP/2.0", "HTTP/9", "http/1.1", ""];
const FORM = "application/x-www-form-urlencoded";
const TYPES = [
  ...[FORM, FORM, FORM, `${FORM};charset=utf-7`, "application/json", "application/json"],
  ...[
    "multipart/form-data",
    "multipart/form-data; boundary=x",
    "text/plain",
    "application/json; charset=\xff",
    "/",
    "",
  ],
];
const HEADERS = [
  ...lines(`Range: bytes=5-2
Range: bytes=0-99999999999999999999
Range: bytes=3-1,0-0
Range: bytes=-
If-None-Match: *
If-None-Match: W/
If-Modified-Since: never
Expect: 100-continue
Expect: 200-ok
Upgrade: websocket
Accept-Encoding: br;q=NaN, *;q=-1
Cookie: session=%
Cookie: session=a.b; session=c
Cookie: =;=;=
Cookie: __proto__=1; sign-in-browser=x
Authorization: Bearer
Authorization: Bearer a.b.c
Authorization: Basic Og==
X-Forwarded-For: ,,,
X-Forwarded-For: [::1
X-Forwarded-For: 1.1.1.1:99999
Referer: blob:x
Referer: //
User-Agent:
Stripe-Signature: t=,v1=
Sec-Fetch-Site: cross-site
Access-Control-Request-Method: x
Origin: null
Idempotency-Key: a`),
  ...[
    "Cookie: \xff=\xfe",
    "Accept: \xff",
    "Referer: \xff",
    "User-Agent: \xff\x80",
    "Idempotency-Key: \xff",
    "Origin: \xff",
  ],
];
/** What HTTP itself forbids. */
const BROKEN_HEADERS = [
  ...lines(`Transfer-Encoding: chunked
Transfer-Encoding: chunked, chunked
Transfer-Encoding: gzip
Content-Length: -1
Content-Length: 1e9
Content-Length: 99999999999999999999
Content-Length: 5, 5
Content-Length:
Upgrade: h2c\r\nConnection: Upgrade
Host: evil:x
X : y
 X: y
X
: y`),
  ...["X: \0", "X: a\rb", `X: ${"a".repeat(20_000)}`],
];
const NAMES =
  words(`email password name code form price return_to message topic request choice intent promo token provider state
  nonce session_id category keywords ref id_token end disconnect current_password photo tier`);
const VALUES = [
  ...BITS,
  ...words("a@example.com sign_in promo checkout basic [] {}"),
  "",
  "\xc3",
  "\xed\xa0\x80",
  "a b c 12 3456",
];
const DOCUMENTS = [
  ...lines(String.raw`null
[]
{}
{"data":null}
{"data":{}}
{"data":{"price":"\u0000","success_url":"/","cancel_url":"/"}}
{"data":{"price":"price_csv_monthly","success_url":"blob:x","cancel_url":"http://["}}
{"displayName":"\ud800"}
{"displayName":"\u0000"}
{"__proto__":{"displayName":"a"}}
{"deleteAttribute":[null]}
{"photoUrl":{}}
{"webhooks":"x"}
{"choose":"\u0000"}
{"id":"evt_1"}
"\ud800"
1e999
{`),
  ...["", "[".repeat(2000), "\xff\xfe"],
];
const BROKEN_CHUNKS = ["zz\r\n", "5\r\nab", "0\r\nX: y\r\n\r\n", "-1\r\n", "ffffffffffffffff\r\n"];

/** One request, seldom two in a row. Most of it HTTP lets through, so that what is behind gets to see it. */
export function malformedRequest(random: Random, origin: string, cookie: string): string {
  const chance = (share: number) => random() < share;
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)] as Item;
  const entrance = pick(ENTRANCES);
  let { path } = entrance;
  if (chance(0.3)) path = path.slice(0, Math.floor(random() * (path.length + 1))) + pick(BITS);
  if (chance(0.1)) path = path.toUpperCase();
  if (chance(0.05)) path += ".data";
  if (chance(0.4))
    path += `?${pick(NAMES)}=${encodeURI(pick(VALUES))}&${pick(NAMES)}=${pick(VALUES).replaceAll(/[^!-~]/g, "")}`;
  if (chance(0.03))
    path = pick([
      `http://proxy.example${path}`,
      "*",
      `//${path}`,
      "",
      "http://",
      "ftp://x/",
      "a:1",
      path.slice(1),
    ]);
  const type = pick(TYPES);
  const body = type.includes("json") ? pick(DOCUMENTS) : formOf();
  const isChunked = chance(0.1);
  const headers = [
    ...(chance(0.98) ? ["Host: localhost"] : []),
    ...(chance(0.95) ? [`Origin: ${origin}`] : []),
    chance(0.6) ? `Cookie: ${cookie}` : "Authorization: Bearer sk_test_sandbox",
    `Content-Type: ${type}`,
    isChunked
      ? "Transfer-Encoding: chunked"
      : `Content-Length: ${chance(0.97) ? body.length : Math.floor(random() * 99)}`,
    `X-Forwarded-For: 198.51.${Math.floor(random() * 256)}.${Math.floor(random() * 256)}`,
    ...(chance(0.4) ? [pick(HEADERS)] : []),
    ...(chance(0.05) ? [pick(BROKEN_HEADERS)] : []),
  ];
  const chunks = chance(0.2) ? pick(BROKEN_CHUNKS) : `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  const method = chance(0.15) ? pick(METHODS) : chance(0.2) ? "POST" : entrance.method;
  const version = chance(0.03) ? pick(VERSIONS) : "HTTP/1.1";
  const request = `${method} ${path} ${version}\r\n${headers.join("\r\n")}\r\n\r\n${isChunked ? chunks : body}`;
  return chance(0.05) ? request + malformedRequest(random, origin, cookie) : request;

  function formOf(): string {
    const field = () => `${pick(NAMES)}=${pick(VALUES)}`;
    if (chance(0.05)) return `${field()}&`.repeat(Math.ceil(random() * 300));
    return Array.from({ length: Math.ceil(random() * 8) }, field).join("&");
  }
}
