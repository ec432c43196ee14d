import { encodeCursor } from "../app/admin/lists/list-query.ts";

/** Names that the site's addresses and forms read. */
const QUERY =
  "after|before|billing|category|code|error|keywords|nonce|plan|promo|q|ref|return_to|said|session_id|sort|state|status|tier|token|topic|until|from|_routes";
const FIELDS =
  "code|comment|confirm|customer|day|do|email|form|id_token|intent|message|name|opened_at|order|passkey|password|price|reason|response|return_to|subscription|tier|token";

/** The same value in every field. */
const all = (names: string, value: string) =>
  names
    .split("|")
    .map((name) => `${name}=${value}`)
    .join("&");
const json = (value: unknown) =>
  JSON.stringify({ data: value, ...Object.fromEntries(FIELDS.split("|").map((name) => [name, value])) });
const PROTOTYPES =
  "__proto__=1&constructor=1&toString=1&hasOwnProperty=1&__proto__[a]=1&constructor.prototype.a=1";

/** Odd values of a field, as in a query or a form. */
export const VALUES = [
  "%00",
  "a%00%40example.com",
  "%FF%C3%28",
  "%ED%A0%80",
  "%F0%9F%98%80%E2%80%AE%CC%81",
  "-99999999999999999999",
  "1e999",
  "2026-02-31",
  "275760-09-13T00:00:01Z",
  "'%22%3C%2Fscript%3E%5C%24%7B1%7D%0D%0AA:b",
  "x".repeat(6000),
];

const cursors = [
  ["\0", "\0"],
  ["infinity", "9".repeat(40)],
  ["\ud800", "1e999"],
  ["", ""],
  ["294277-01-01", "d7e5c1a0-0000-4000-8000-000000000000"],
].map(
  ([value = "", id = ""]) =>
    `after=${encodeCursor([value, id])}&sort=-email&before=${encodeCursor([id, value])}`,
);

/** Odd queries. */
export const QUERIES = [
  ...VALUES.map((value) => (value.length > 1000 ? `promo=${value}` : all(QUERY, value))),
  ...cursors,
  all(QUERY, "%zz%"),
  all(QUERY, "\x80\xff"),
  PROTOTYPES,
  "state=a&state=b&code[]=1&q[0]=1&token.a=1",
  all(QUERY, "//evil.example/%2e%2e%5c"),
];

/** A header, or a body's type and its bytes. */
export type Header = [name: string, value: string];

/** Odd headers. */
export const HEADERS: Header[][] = [
  [["Cookie", "session=; =; ;;; second-factor; session=%00"]],
  [["Cookie", "session=\xff\x80.\xfe; second-factor=\xff; sign-in-browser=\xff"]],
  [
    [
      "Cookie",
      `session=${btoa('{"__proto__":1}')}; sign-in-browser=${btoa('"\\u0000"')}; second-factor=${btoa("[]")}`,
    ],
  ],
  [["Cookie", Array.from({ length: 300 }, (_, at) => `session=${at}`).join("; ")]],
  [
    ["Cookie", "a=b"],
    ["Cookie", "session=c"],
  ],
  [["Accept-Encoding", "gzip;q=nan, br;q=-1, *;q=, \x80"]],
  [["Range", "bytes=99999999999999999999-,-0,5-1"]],
  [
    ["If-None-Match", "\x80, W/"],
    ["If-Modified-Since", "never"],
    ["If-Range", "x"],
  ],
  [["Authorization", "Bearer a.b.c"]],
  [["Authorization", "Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJfX3Byb3RvX18ifQ."]],
  [
    ["Authorization", "Basic \xff\xff=="],
    ["Authorization", "Bearer \xff"],
  ],
  [
    ["X-Forwarded-For", ",,[::, 999.1.1.1, unknown"],
    ["X-Real-IP", "\x80"],
  ],
  [
    ["X-Forwarded-Host", "evil.example"],
    ["X-Forwarded-Proto", "javascript"],
    ["X-Forwarded-Port", "-1"],
  ],
  [
    ["Origin", "null"],
    ["Sec-Fetch-Site", "same-origin"],
  ],
  [
    ["Origin", "https://evil.example"],
    ["Sec-Fetch-Site", "same-origin"],
  ],
  [
    ["Origin", "https://evil.example"],
    ["Sec-Fetch-Site", "cross-site"],
  ],
  [
    ["Origin", "\xff:::"],
    ["Sec-Fetch-Site", "\xff"],
  ],
  [
    ["Access-Control-Request-Method", "\xff"],
    ["Access-Control-Request-Headers", ",,,"],
  ],
  [
    ["Referer", "http://[::"],
    ["User-Agent", "Mozilla/5.0 (\xff"],
  ],
  [
    ["Accept", "text/x-component, \xff"],
    ["X-Requested-With", "x"],
  ],
  [
    ["Sec-Purpose", "prefetch;prerender, \xff"],
    ["X-Moz", "prefetch"],
  ],
  [
    ["Upgrade", "h2c"],
    ["HTTP2-Settings", "x"],
  ],
  [
    ["X-HTTP-Method-Override", "DELETE"],
    ["X-Method-Override", "\xff"],
  ],
  [["Accept-Language", "xx-\xff;q=2,".repeat(200)]],
  [["Stripe-Signature", "t=,v1=,v1=\xff,t=-1"]],
  [
    ["Stripe-Signature", "t=1e999,v1=00"],
    ["Stripe-Signature", "t=1"],
  ],
  [
    ["X-Firebase-AppCheck", "a.b.c"],
    ["traceparent", "00-\xff-0-1"],
  ],
  Array.from({ length: 60 }, (_, at): Header => [`X-${at}`, "y"]),
];

const FORM = "application/x-www-form-urlencoded";
const JSON_TYPE = "application/json";
const PARTS = "multipart/form-data; boundary=x";

/** Odd bodies: type and bytes. */
export const BODIES: Header[] = [
  ...VALUES.map((value): Header => [FORM, all(FIELDS, value.slice(0, 1000))]),
  ...[
    "null",
    "[[[]]]",
    "1e999",
    '{"data":',
    '{"__proto__":{"data":1},"data":{"__proto__":{},"constructor":{}}}',
  ].map((body): Header => [JSON_TYPE, body]),
  ...["\0", "\ud800", -1.5e300, [null, {}, []], { toString: null, length: -1 }, null, "x".repeat(2000)].map(
    (value): Header => [JSON_TYPE, json(value)],
  ),
  [JSON_TYPE, '{"data":{"price":"\xff\xfe\xc3\x28"}}'],
  [JSON_TYPE, `\xef\xbb\xbf${json("x")}`],
  [JSON_TYPE, `${"[".repeat(5000)}`],
  [`${JSON_TYPE}; charset=utf-16`, "\xff\xfe{\0}\0"],
  [FORM, all(FIELDS, "\xff")],
  [FORM, all(FIELDS, "%zz%")],
  [FORM, PROTOTYPES],
  [FORM, `${all(FIELDS, "a")}&${all(FIELDS, "b")}`],
  [FORM, all("email[]|name[999]|code.a", "1")],
  [FORM, ""],
  [FORM, "__intent__=%7B%22type%22%3A%22reset%22&__state__=%FF"],
  [FORM, `email=${"a".repeat(70_000)}`],
  ["multipart/form-data", "--x\r\n"],
  [PARTS, '--x\r\nContent-Disposition: form-data; name="email"\r\n\r\n\0'],
  [PARTS, '--x\r\nContent-Disposition: form-data; name="email"; filename="../\xff"\r\n\r\n\0\r\n--x--\r\n'],
  [PARTS, "\0\0\0"],
  ["text/plain", all(FIELDS, "x")],
  ["\xff/;;=", "x"],
  [`${FORM}, ${JSON_TYPE}`, "{}"],
  ["application/octet-stream", "\0\xff\xfe"],
];

/** Odd paths, or endings of one. */
export const AFTERWARDS = [
  ".data",
  ".data?_routes=%00",
  "/%2e%2e/%2f%5c",
  "/%00",
  "%FF",
  "\xff",
  "%zz",
  ";a=b",
  "\\..\\x",
  "#f",
];

/** Malformed requests, or barely valid ones, as bytes in Latin-1. */
export function oddBytes(host: string): string[] {
  const head = `Host: ${host}\r\nOrigin: http://${host}\r\n`;
  return [
    "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    "\0\0\0\0\r\n\r\n",
    "GET /\r\n\r\n",
    "GET / HTTP/1.1\r\n\r\n",
    "GET / HTTP/9.9\r\n\r\n",
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    `CONNECT / HTTP/1.1\r\n${head}\r\n`,
    `FOO / HTTP/1.1\r\n${head}\r\n`,
    `OPTIONS * HTTP/1.1\r\n${head}\r\n`,
    `GET http://evil.example/ HTTP/1.1\r\n${head}\r\n`,
    `GET //evil.example/ HTTP/1.1\r\n${head}\r\n`,
    `GET /\0 HTTP/1.1\r\n${head}\r\n`,
    `GET / HTTP/1.1\r\n${head}Host: evil.example\r\n\r\n`,
    "GET / HTTP/1.1\r\nHost: a b\r\n\r\n",
    `GET / HTTP/1.1\r\n${head}no colon\r\n\r\n`,
    `GET / HTTP/1.1\r\n${head}A: b\r\n folded\r\n\r\n`,
    `GET / HTTP/1.1\r\n${head}${"A: b\r\n".repeat(3000)}\r\n`,
    `GET / HTTP/1.1\r\n${head}A: ${"b".repeat(40_000)}\r\n\r\n`,
    `GET /${"a".repeat(40_000)} HTTP/1.1\r\n${head}\r\n`,
    ...["/login", "/webhooks/stripe", "/v1/accounts:update"].flatMap((path) =>
      [
        "Content-Length: -1\r\n\r\n",
        "Content-Length: 1, 2\r\n\r\nab",
        "Content-Length: 500\r\n\r\nemail=",
        "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding: x\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\nzz\r\na=b\r\n",
        "Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n",
        "Expect: tea\r\nContent-Length: 0\r\n\r\n",
        "Content-Encoding: gzip\r\nContent-Length: 3\r\n\r\n\x1f\x8b\xff",
      ].map((rest) => `POST ${path} HTTP/1.1\r\n${head}${rest}`),
    ),
  ];
}
