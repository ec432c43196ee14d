import { chance, type Dice, pick } from "../dice.ts";
import { BODIES, HEADERS, METHODS, ODD_METHODS, PATH_PIECES } from "./malformed-pieces.ts";

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
