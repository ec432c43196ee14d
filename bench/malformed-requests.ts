/** A seeded random number generator with values from 0 to 1 (mulberry32). */
export type Dice = () => number;

export function rollDice(seed: number): Dice {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Target {
  paths: readonly string[];
  /** Of a signed-in user. */
  cookie: string;
  origin: string;
}

const METHODS = [
  "GET",
  "POST",
  "HEAD",
  "PUT",
  "DELETE",
  "PATCH",
  "OPTIONS",
  "TRACE",
  "CONNECT",
  "PROPFIND",
  "get",
];
const ODD_METHODS = ["", "G E T", "GET\0", "FOO", "QUERY", "💥", "A".repeat(300)];

const PATH_PIECES = [
  "%",
  "%00",
  "%09",
  "%0a",
  "%2e%2e",
  "%2f",
  "%5c",
  "%ff",
  "%fe%ff",
  "%ed%a0%80",
  "%c0%af",
  "%u0041",
  "%25",
  "%zz",
  "..",
  ".",
  "//",
  "\\",
  ";",
  ":",
  "@",
  "[",
  "]",
  "{",
  "|",
  "^",
  "`",
  "'",
  '"',
  "<",
  "\x7f",
  "é",
  "\u00a0",
  "~",
  "*",
  "?",
  "#",
  "?a=%",
  "?%=%",
  "?promo=%F0%9F%92%A9",
  "?return_to=//evil.example",
  "?return_to=%2Fauth%2Fcallback",
  "?a[99999999]=1",
  ".data",
  "/_root.data",
  "?_routes=root",
  "?index",
  ".rsc",
  "__manifest",
  "?__proto__=1",
  "?constructor=1",
];

const HEADERS: ((dice: Dice) => string)[] = [
  (dice) =>
    `Range: ${pick(dice, ["bytes=5-2", "bytes=0-99999999999999999999", "bytes=3-1,0-0", "bytes=-", "bytes=-0", "bytes=a-b", "lines=1-2", "bytes=0-0,1-1,2-2", "bytes=9999999-", "bytes=-99999999999"])}`,
  (dice) => `Content-Length: ${pick(dice, ["-1", "1e3", "99999999999999999999", "0x10", "5, 5", "", "abc"])}`,
  (dice) =>
    `Transfer-Encoding: ${pick(dice, ["chunked", "gzip", "chunked, chunked", "identity", "xchunked"])}`,
  (dice) =>
    `Content-Type: ${pick(dice, ["application/json", "application/x-www-form-urlencoded", "multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary=x", "text/html; charset=utf-7", "application/x-www-form-urlencoded; charset=utf-16", ";", "a/b/c"])}`,
  (dice) =>
    `Accept-Encoding: ${pick(dice, ["br;q=NaN", "gzip;q=-1", "*;q=0", ",,,", "br,".repeat(500), "identity;q=0"])}`,
  (dice) =>
    `Cookie: ${pick(dice, ["session=", "session=%", "=;=;=", "session=a.b; session=c.d", "__Host-session=x", "a=b; ".repeat(500), "sign-in-browser=\x01"])}`,
  (dice) => `If-None-Match: ${pick(dice, ["*", '"', 'W/"x', ",".repeat(2000)])}`,
  (dice) => `Host: ${pick(dice, ["", "a b", "evil.example", "[::1", "localhost:99999", "%00"])}`,
  (dice) =>
    `Authorization: ${pick(dice, ["Bearer", "Bearer ", "Bearer a.b.c", "Basic %%%", `Bearer ${"e".repeat(8000)}`, "Bearer eyJhbGciOiJub25lIn0.e30."])}`,
  (dice) =>
    `Stripe-Signature: ${pick(dice, ["", "t=,v1=", "t=1,v1=00", "t=99999999999,v1=zz", "v1=".repeat(1000)])}`,
  (dice) =>
    `X-Forwarded-For: ${pick(dice, ["", "::", "1.2.3", "999.1.1.1", "fe80::1%eth0", "1.1.1.1,".repeat(500)])}`,
  (dice) =>
    `Origin: ${pick(dice, ["null", "", "http://", "javascript:", "https://evil.example", "http://localhost:1/x"])}`,
  (dice) => `Referer: ${pick(dice, ["/", "http://[", "x".repeat(5000)])}`,
  (dice) => `User-Agent: ${pick(dice, ["", "\x80\xff", "Mozilla/5.0 (".repeat(300), "(((((((((("])}`,
  () => "Expect: 100-continue",
  () => "Expect: something-else",
  () => "Upgrade: websocket\r\nConnection: Upgrade",
  () => "Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: x",
  () => "Connection: close, keep-alive",
  () => "no colon here",
  () => ": no name",
  () => " folded: line",
  () => `X-Large: ${"a".repeat(17_000)}`,
  () => "Sec-Fetch-Site: same-origin\r\nSec-Fetch-Site: cross-site",
];

const FIELDS = [
  "email",
  "password",
  "current_password",
  "name",
  "code",
  "tier",
  "form",
  "price",
  "return_to",
  "message",
  "topic",
  "token",
  "intent",
  "__proto__",
  "constructor",
  "email[0]",
  "email[99999999]",
  "a.b.c.d",
  "__intent__",
  "__state__",
  "",
  "%",
  "é",
];

const VALUES: ((dice: Dice) => string)[] = [
  () => "",
  () => "%00",
  () => "%ED%A0%80",
  () => "%F0%9F",
  () => "\u0301".repeat(500),
  () => "ﷺ".repeat(200),
  () => "a".repeat(5_000),
  () => "a@".repeat(200),
  () => "-1",
  () => "1e309",
  () => "[object Object]",
  () => "javascript:alert(1)",
  () => "//evil.example",
  () => "' OR 1=1 --",
  () => "basic",
  () => "WELCOME",
  (dice) => String.fromCodePoint(Math.floor(dice() * 0x7ff) + 1).repeat(20),
];

const BODIES: ((dice: Dice) => string)[] = [
  () => "",
  (dice) => fields(dice, 1 + Math.floor(dice() * 8)),
  (dice) => fields(dice, 120),
  (dice) => `${pick(dice, FIELDS)}=1&`.repeat(3000),
  () => "&".repeat(20_000),
  () => "=".repeat(5_000),
  () => "{",
  () => "null",
  () => "[]",
  () => '{"data":null}',
  () => '{"data":{"price":{"a":1},"success_url":[],"cancel_url":"blob:x"}}',
  () =>
    '{"data":{"price":"price_csv_only_monthly","success_url":"blob:http://localhost/","cancel_url":"data:,x"}}',
  () => `{"data":${"[".repeat(5_000)}${"]".repeat(5_000)}}`,
  () => `${"[".repeat(30_000)}`,
  () => '{"__proto__":{"data":1},"data":{"__proto__":{}}}',
  () => '{"displayName":"\\ud800","photoUrl":"\\u0000"}',
  () => `{"data":"${"a".repeat(40_000)}"}`,
  () => "\xff\xfe\x00",
  () => "\ufeff{}",
  () => `--x\r\nContent-Disposition: form-data; name="email"\r\n\r\na\r\n--x--\r\n`,
  () => `--x\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\n${"a".repeat(1000)}`,
  () => '{"id":"evt_1","type":"x","data":{}}',
  (dice) => Array.from({ length: 300 }, () => String.fromCharCode(Math.floor(dice() * 256))).join(""),
];

/**
 * One malformed request, as bytes: with faults in its method, target, headers, body or framing, often in several. Most are
 * otherwise valid, to get past the first checks.
 */
export function malformedRequest(dice: Dice, { paths, cookie, origin }: Target): Buffer {
  const method = chance(dice, 0.08)
    ? pick(dice, ODD_METHODS)
    : pick(dice, METHODS.slice(0, chance(dice, 0.7) ? 2 : undefined));
  const target = oddTarget(dice, pick(dice, paths), origin);
  const version = chance(dice, 0.03)
    ? pick(dice, ["HTTP/1.0", "HTTP/2", "HTTP/0.9", "http/1.1", ""])
    : "HTTP/1.1";
  const lines = [`${method} ${target} ${version}`];
  if (!chance(dice, 0.03)) lines.push("Host: localhost");
  if (chance(dice, 0.75)) lines.push(`Origin: ${origin}`);
  if (chance(dice, 0.5)) lines.push(`Cookie: ${cookie}`);
  // A new client address each time, or most answers would come from the rate limits.
  lines.push(
    `X-Forwarded-For: 2001:db8:${Math.floor(dice() * 65_536).toString(16)}:${Math.floor(dice() * 65_536).toString(16)}::1`,
  );
  for (let count = Math.floor(dice() * 3); count > 0; count--) lines.push(pick(dice, HEADERS)(dice));

  const body = method === "GET" && chance(dice, 0.8) ? "" : pick(dice, BODIES)(dice);
  const [framing, framed] = frame(dice, body);
  if (body && chance(dice, 0.9)) lines.push(contentType(dice, body));
  lines.push(...framing);
  const request = Buffer.from(
    `${lines.join("\r\n")}\r\n\r\n${framed}`,
    chance(dice, 0.5) ? "utf8" : "latin1",
  );
  if (chance(dice, 0.05)) return request.subarray(0, Math.floor(dice() * request.length));
  if (chance(dice, 0.05)) return Buffer.concat([request, request]);
  return request;
}

function oddTarget(dice: Dice, path: string, origin: string): string {
  if (chance(dice, 0.3)) return path;
  if (chance(dice, 0.05))
    return pick(dice, [
      "*",
      "",
      "nothing",
      `${origin}${path}`,
      "http://",
      "https://evil.example/",
      "//",
      "///etc/passwd",
      "localhost:443",
    ]);
  let target = path;
  for (let count = 1 + Math.floor(dice() * 3); count > 0; count--) {
    const at = Math.floor(dice() * (target.length + 1));
    const piece = chance(dice, 0.03) ? "a".repeat(9_000) : pick(dice, PATH_PIECES);
    target = target.slice(0, at) + piece + target.slice(at);
  }
  return chance(dice, 0.9) && !target.startsWith("/") ? `/${target}` : target;
}

/** The framing headers of a body, correct or not, and the body as sent with them. */
function frame(dice: Dice, body: string): [string[], string] {
  const length = Buffer.byteLength(body);
  if (chance(dice, 0.75)) return [length ? [`Content-Length: ${length}`] : [], body];
  return pick<[string[], string]>(dice, [
    [["Transfer-Encoding: chunked"], `${length.toString(16)}\r\n${body}\r\n0\r\n\r\n`],
    [["Transfer-Encoding: chunked"], `zz\r\n${body}\r\n0\r\n\r\n`],
    [["Transfer-Encoding: chunked"], `ffffffffffffffff\r\n${body}`],
    [["Transfer-Encoding: chunked", `Content-Length: ${length}`], body],
    [[`Content-Length: ${length + 10}`], body],
    [[`Content-Length: ${Math.floor(length / 2)}`], body],
    [[`Content-Length: ${length}`, `Content-Length: ${length + 1}`], body],
    [["Content-Encoding: gzip", `Content-Length: ${length}`], body],
    [[], body],
  ]);
}

function contentType(dice: Dice, body: string): string {
  if (chance(dice, 0.1)) return "Content-Type: text/plain";
  if (body.startsWith("--x")) return "Content-Type: multipart/form-data; boundary=x";
  const isJson = /^[[{n\ufeff]/.test(body);
  return `Content-Type: ${isJson ? "application/json" : "application/x-www-form-urlencoded"}`;
}

function fields(dice: Dice, count: number): string {
  return Array.from({ length: count }, () => `${pick(dice, FIELDS)}=${pick(dice, VALUES)(dice)}`).join("&");
}

function pick<Item>(dice: Dice, items: readonly Item[]): Item {
  return items[Math.floor(dice() * items.length)] as Item;
}

function chance(dice: Dice, share: number): boolean {
  return dice() < share;
}
