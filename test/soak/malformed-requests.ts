import { chance, type Dice, pick } from "../dice.ts";

const METHODS = "GET POST HEAD PUT DELETE PATCH OPTIONS TRACE CONNECT PROPFIND get".split(" ");
const ODD_METHODS = ["", "G E T", "GET\0", "FOO", "QUERY", "💥", "A".repeat(300)];

const TARGETS = "*||nothing|http://|https://evil.example/|//|///etc/passwd|localhost:443".split("|");
const PATH_PIECES = [
  ..."% %00 %09 %0a %2e%2e %2f %5c %ff %fe%ff %ed%a0%80 %c0%af %u0041 %25 %zz .. . //".split(" "),
  ...String.raw`\ ; : @ [ ] { | ^ ' " < ~ * ? # é`.split(" "),
  ..."?a=% ?%=% ?promo=%F0%9F%92%A9 ?a[99999999]=1 ?__proto__=1 ?constructor=1".split(" "),
  ..."?return_to=//evil.example ?return_to=%2Fauth%2Fcallback ?index ?_routes=root".split(" "),
  ..."/_root.data .data .rsc __manifest".split(" "),
  ...["`", "\x7f", "\u00a0", "a".repeat(9_000)],
];

/** Values of headers, separated by `|`. */
const HEADER_VALUES = {
  Range:
    "bytes=5-2|bytes=0-99999999999999999999|bytes=3-1,0-0|bytes=-|bytes=-0|bytes=a-b|lines=1-2|bytes=0-0,1-1,2-2|bytes=9999999-",
  "Content-Length": "-1|1e3|99999999999999999999|0x10|5, 5||abc",
  "Transfer-Encoding": "chunked|gzip|chunked, chunked|identity|xchunked",
  "Content-Type":
    "application/json|multipart/form-data|multipart/form-data; boundary=|text/html; charset=utf-7|application/x-www-form-urlencoded; charset=utf-16|;|a/b/c",
  "Accept-Encoding": "br;q=NaN|gzip;q=-1|*;q=0|,,,|identity;q=0",
  Cookie: "session=|session=%|=;=;=|session=a.b; session=c.d|__Host-session=x|sign-in-browser=\x01",
  "If-None-Match": '*|"|W/"x',
  Host: "|a b|evil.example|[::1|localhost:99999|%00",
  Authorization: "Bearer|Bearer |Bearer a.b.c|Basic %%%|Bearer eyJhbGciOiJub25lIn0.e30.",
  "Stripe-Signature": "|t=,v1=|t=1,v1=00|t=99999999999,v1=zz",
  "X-Forwarded-For": "|::|1.2.3|999.1.1.1|fe80::1%eth0",
  Origin: "null||http://|javascript:|https://evil.example|http://localhost:1/x",
  Referer: "/|http://[",
  "User-Agent": "|\x80\xff|((((((((((",
  Expect: "100-continue|something-else",
};
const HEADERS = [
  ...Object.entries(HEADER_VALUES).flatMap(([name, values]) =>
    values.split("|").map((value) => `${name}: ${value}`),
  ),
  `Accept-Encoding: ${"br,".repeat(500)}`,
  `Cookie: ${"a=b; ".repeat(500)}`,
  `If-None-Match: ${",".repeat(2_000)}`,
  `Authorization: Bearer ${"e".repeat(8_000)}`,
  `Stripe-Signature: ${"v1=".repeat(1_000)}`,
  `X-Forwarded-For: ${"1.1.1.1,".repeat(500)}`,
  `User-Agent: ${"Mozilla/5.0 (".repeat(300)}`,
  `X-Large: ${"a".repeat(17_000)}`,
  "Upgrade: websocket\r\nConnection: Upgrade",
  "Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: x",
  "Connection: close, keep-alive",
  "Sec-Fetch-Site: same-origin\r\nSec-Fetch-Site: cross-site",
  ...["no colon here", ": no name", " folded: line"],
];

const FIELDS = [
  ..."email password current_password name code tier form price return_to message topic token".split(" "),
  ..."intent __proto__ constructor email[0] email[99999999] a.b.c.d __intent__ __state__ % é".split(" "),
  "",
];
const VALUES = [
  ..."%00 %ED%A0%80 %F0%9F -1 1e309 javascript:alert(1) //evil.example basic WELCOME".split(" "),
  ...["", "[object Object]", "' OR 1=1 --", "\u0301".repeat(500), "ﷺ".repeat(200)],
  ...["a".repeat(5_000), "a@".repeat(200), "\u07ff".repeat(20)],
];
const BODIES = [
  ...["", "{", "null", "[]", '{"data":null}', "\xff\xfe\x00", "\ufeff{}"],
  "&".repeat(20_000),
  "=".repeat(5_000),
  '{"data":{"price":{"a":1},"success_url":[],"cancel_url":"blob:x"}}',
  '{"data":{"price":"price_csv_only_monthly","success_url":"blob:http://localhost/","cancel_url":"data:,x"}}',
  `{"data":${"[".repeat(5_000)}${"]".repeat(5_000)}}`,
  "[".repeat(30_000),
  '{"__proto__":{"data":1},"data":{"__proto__":{}}}',
  '{"displayName":"\\ud800","photoUrl":"\\u0000"}',
  `{"data":"${"a".repeat(40_000)}"}`,
  '{"id":"evt_1","type":"x","data":{}}',
  `--x\r\nContent-Disposition: form-data; name="email"\r\n\r\na\r\n--x--\r\n`,
  `--x\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\n${"a".repeat(1_000)}`,
];

interface Target {
  paths: readonly string[];
  /** The cookie of a signed-in user. */
  cookie: string;
  origin: string;
}

/**
 * A malformed request, as bytes: wrong in its method, target, headers, body or framing, often in several. Most are otherwise
 * valid enough to pass the first checks.
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
  // A new client each time, so that the limits do not answer everything.
  const part = () => Math.floor(dice() * 65_536).toString(16);
  lines.push(`X-Forwarded-For: 2001:db8:${part()}:${part()}::1`);
  for (let count = Math.floor(dice() * 3); count > 0; count--) lines.push(pick(dice, HEADERS));

  const body = method === "GET" && chance(dice, 0.8) ? "" : oddBody(dice);
  const [framing, framed] = frame(dice, body);
  if (body && chance(dice, 0.9)) lines.push(contentType(dice, body));
  lines.push(...framing);
  const request = Buffer.from(
    `${lines.join("\r\n")}\r\n\r\n${framed}`,
    chance(dice, 0.5) ? "utf8" : "latin1",
  );
  if (chance(dice, 0.05)) return request.subarray(0, Math.floor(dice() * request.length));
  return chance(dice, 0.05) ? Buffer.concat([request, request]) : request;
}

function oddTarget(dice: Dice, path: string, origin: string): string {
  if (chance(dice, 0.3)) return path;
  if (chance(dice, 0.05)) return pick(dice, [...TARGETS, `${origin}${path}`]);
  let target = path;
  for (let count = 1 + Math.floor(dice() * 3); count > 0; count--) {
    const at = Math.floor(dice() * (target.length + 1));
    target = target.slice(0, at) + pick(dice, PATH_PIECES) + target.slice(at);
  }
  return chance(dice, 0.9) && !target.startsWith("/") ? `/${target}` : target;
}

function oddBody(dice: Dice): string {
  const random = (length: number, part: () => string) => Array.from({ length }, part);
  const field = () => `${pick(dice, FIELDS)}=${pick(dice, VALUES)}`;
  return pick(dice, [
    () => pick(dice, BODIES),
    () => random(1 + Math.floor(dice() * 8), field).join("&"),
    () => random(120, field).join("&"),
    () => `${pick(dice, FIELDS)}=1&`.repeat(3_000),
    () => random(300, () => String.fromCharCode(Math.floor(dice() * 256))).join(""),
  ])();
}

/** The framing headers of a body, true or false, and the body as sent. */
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
