import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname, join, sep } from "node:path";
import { chooseEncoding, type Encoding } from "./encoding.server.ts";
import { matchesEtag } from "./page-cache.server.ts";
import { HSTS } from "./security-headers.server.ts";

const TYPES = new Map([
  [".css", "text/css"],
  [".ico", "image/x-icon"],
  [".js", "text/javascript"],
  [".png", "image/png"],
  [".svg", "image/svg+xml"],
]);
/** The suffixes of the compressed copies that bin/compress.ts writes. */
const SUFFIXES = { br: ".br", gzip: ".gz", identity: "" } as const satisfies Record<Encoding, string>;

interface StaticFile {
  as: Partial<Record<Encoding, Representation>>;
}

interface Representation {
  body: Buffer;
  headers: Record<string, string>;
}

/**
 * Serves the files of the build from memory: two megabytes, and no read can fail while one is sent. Ignores `Range`, as
 * a server may (RFC 9110 §14.2): none of the files is large enough to resume.
 *
 * @returns a handler that calls `next` for every request it does not answer
 * @throws for a file whose type is not in TYPES
 */
export function createStaticFiles(folder: string, isHttps: boolean) {
  const files = new Map<string, StaticFile>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    const path = file.slice(folder.length).replaceAll(sep, "/");
    const isCopy = /\.(br|gz)$/.test(path);
    if (entry.isFile() && !isCopy && !path.includes("/."))
      files.set(path, readStaticFile(file, path, isHttps));
  }

  return (request: IncomingMessage, response: ServerResponse, next: () => void): void => {
    const { method, url = "", headers } = request;
    const file = method === "GET" || method === "HEAD" ? files.get(url.split("?", 1)[0] ?? "") : undefined;
    const found = file?.as[chooseEncoding(headers["accept-encoding"])] ?? file?.as.identity;
    if (found) send(found, request, response);
    else next();
  };
}

function readStaticFile(file: string, path: string, isHttps: boolean): StaticFile {
  const type = TYPES.get(extname(path));
  if (!type) throw new Error(`static-files.server.ts knows no type for ${path}`);
  const hash = createHash("sha256").update(readFileSync(file)).digest("base64url").slice(0, 22);
  const isHashed = path.startsWith("/assets/");
  const as: StaticFile["as"] = {};
  for (const encoding of ["br", "gzip", "identity"] as const) {
    const copy = file + SUFFIXES[encoding];
    if (!existsSync(copy)) continue;
    const body = readFileSync(copy);
    const headers = {
      "Content-Type": type,
      "Content-Length": String(body.byteLength),
      ...(encoding !== "identity" && { "Content-Encoding": encoding }),
      ETag: `"${hash}-${encoding}"`,
      Vary: "Accept-Encoding",
      "Cache-Control": isHashed ? "public, max-age=31536000, immutable" : "public, max-age=3600",
      "X-Content-Type-Options": "nosniff",
      ...(isHttps && { "Strict-Transport-Security": HSTS }),
    };
    as[encoding] = { body, headers };
  }
  return { as };
}

function send({ body, headers }: Representation, request: IncomingMessage, response: ServerResponse): void {
  if (matchesEtag(request.headers["if-none-match"] ?? "", headers.ETag ?? "")) {
    const { "Content-Length": _length, "Content-Type": _type, ...headersOfNotModified } = headers;
    response.writeHead(304, headersOfNotModified).end();
  } else response.writeHead(200, headers).end(request.method === "HEAD" ? undefined : body);
}
