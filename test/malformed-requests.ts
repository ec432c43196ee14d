import { chance, type Dice, pick } from "./dice.ts";
import { AFTERWARDS, BODIES, HEADERS, QUERIES, VALUES } from "./odd-inputs.ts";
import { WORST_HEADERS } from "./worst-inputs.ts";

const METHODS = "GET POST HEAD PUT DELETE PATCH OPTIONS TRACE CONNECT PROPFIND get".split(" ");
const ODD_METHODS = ["", "G E T", "GET\0", "FOO", "QUERY", "💥", "A".repeat(300)];
const VERSIONS = ["HTTP/1.0", "HTTP/2", "HTTP/0.9", "http/1.1", ""];

const TARGETS = "*||nothing|http://|https://evil.example/|//|///etc/passwd|localhost:443".split("|");
const PATH_PIECES = [
  ...AFTERWARDS,
  ...QUERIES.map((query) => `?${query}`),
  ..."% %09 %0a %2e%2e %2f %5c %fe%ff %ed%a0%80 %c0%af %u0041 %25 .. . //".split(" "),
  ...String.raw`\ : @ [ ] { | ^ ' " < ~ * ? # é`.split(" "),
  ..."?a=% ?%=% ?a[99999999]=1 ?return_to=%2Fauth%2Fcallback ?index ?_routes=root".split(" "),
  ..."/_root.data .rsc __manifest".split(" "),
  ...["`", "\x7f", "\u00a0", "a".repeat(9_000)],
];

/** What the lists of odd and worst inputs leave to this fuzzer, as it breaks the framing: values separated by `|`. */
const FRAMING = {
  Range:
    "bytes=5-2|bytes=0-99999999999999999999|bytes=-|bytes=-0|bytes=a-b|lines=1-2|bytes=0-0,1-1,2-2|bytes=9999999-",
  "Content-Length": "-1|1e3|99999999999999999999|0x10|5, 5||abc",
  "Transfer-Encoding": "chunked|gzip|chunked, chunked|identity|xchunked",
  "Content-Type":
    "application/json|multipart/form-data|multipart/form-data; boundary=|text/html; charset=utf-7|;|a/b/c",
  Host: "|a b|evil.example|[::1|localhost:99999|%00",
  Expect: "100-continue|something-else",
};
const HEADER_LINES = [
  ...[...HEADERS, ...WORST_HEADERS.map((headers) => Object.entries(headers))].map((headers) =>
    headers.map((header) => header.join(": ")).join("\r\n"),
  ),
  ...Object.entries(FRAMING).flatMap(([name, values]) =>
    values.split("|").map((value) => `${name}: ${value}`),
  ),
  `X-Large: ${"a".repeat(17_000)}`,
  "Upgrade: websocket\r\nConnection: Upgrade",
  "Connection: close, keep-alive",
  "Sec-Fetch-Site: same-origin\r\nSec-Fetch-Site: cross-site",
  ...["no colon here", ": no name", " folded: line"],
];

const FORM = "application/x-www-form-urlencoded";
const JSON_TYPE = "application/json";
const FIELD_NAMES = [
  ..."email password current_password name code tier form price return_to message topic token".split(" "),
  ..."intent __proto__ constructor email[0] email[99999999] a.b.c.d __intent__ __state__ % é".split(" "),
  "",
];
const FIELD_VALUES = [
  ...VALUES,
  ..."javascript:alert(1) //evil.example basic WELCOME".split(" "),
  ...["", "[object Object]", "' OR 1=1 --", "\u0301".repeat(500), "ﷺ".repeat(200), "a@".repeat(200)],
];
const WHOLE_BODIES: [type: string, body: string][] = [
  ...BODIES,
  [FORM, "&".repeat(20_000)],
  [FORM, "=".repeat(5_000)],
  [JSON_TYPE, '{"data":{"price":{"a":1},"success_url":[],"cancel_url":"blob:x"}}'],
  [JSON_TYPE, `{"data":${"[".repeat(5_000)}${"]".repeat(5_000)}}`],
  [JSON_TYPE, "[".repeat(30_000)],
  [JSON_TYPE, '{"displayName":"\\ud800","photoUrl":"\\u0000"}'],
  [JSON_TYPE, `{"data":"${"a".repeat(40_000)}"}`],
  [JSON_TYPE, '{"id":"evt_1","type":"x","data":{}}'],
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
  const lines = [`${method} ${target} ${chance(dice, 0.03) ? pick(dice, VERSIONS) : "HTTP/1.1"}`];
  if (!chance(dice, 0.03)) lines.push("Host: localhost");
  if (chance(dice, 0.75)) lines.push(`Origin: ${origin}`);
  if (chance(dice, 0.5)) lines.push(`Cookie: ${cookie}`);
  // A new client each time, so that the limits do not answer everything.
  const part = () => Math.floor(dice() * 65_536).toString(16);
  lines.push(`X-Forwarded-For: 2001:db8:${part()}:${part()}::1`);
  for (let count = Math.floor(dice() * 3); count > 0; count--) lines.push(pick(dice, HEADER_LINES));

  const [type, body] = method === "GET" && chance(dice, 0.8) ? ["", ""] : oddBody(dice);
  const [framing, framed] = frame(dice, body);
  if (body && chance(dice, 0.9)) lines.push(`Content-Type: ${chance(dice, 0.1) ? "text/plain" : type}`);
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

function oddBody(dice: Dice): [type: string, body: string] {
  const random = (length: number, part: () => string) => Array.from({ length }, part);
  const field = () => `${pick(dice, FIELD_NAMES)}=${pick(dice, FIELD_VALUES)}`;
  return pick<() => [string, string]>(dice, [
    () => pick(dice, WHOLE_BODIES),
    () => [FORM, random(1 + Math.floor(dice() * 8), field).join("&")],
    () => [FORM, random(120, field).join("&")],
    () => [FORM, `${pick(dice, FIELD_NAMES)}=1&`.repeat(3_000)],
    () => [JSON_TYPE, random(300, () => String.fromCharCode(Math.floor(dice() * 256))).join("")],
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
