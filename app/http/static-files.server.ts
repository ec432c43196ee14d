import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname, join, sep } from "node:path";
import { chooseEncoding, type Encoding } from "./encoding.server.ts";
import { matchesEtag } from "./page-cache.server.ts";
import { HSTS } from "./security-headers.server.ts";

/** Neither video, which Safari asks for in ranges, nor WebAssembly, which no page's policy lets run. */
const TYPES = new Map([
  [".avif", "image/avif"],
  [".css", "text/css"],
  [".gif", "image/gif"],
  [".ico", "image/x-icon"],
  [".jpeg", "image/jpeg"],
  [".jpg", "image/jpeg"],
  [".js", "text/javascript"],
  [".json", "application/json"],
  [".pdf", "application/pdf"],
  [".png", "image/png"],
  [".svg", "image/svg+xml"],
  [".txt", "text/plain; charset=utf-8"],
  [".webp", "image/webp"],
  [".woff", "font/woff"],
  [".woff2", "font/woff2"],
]);

/** Every process holds each file in memory, and the database those of the last day. */
const MOST_BYTES = 2 * 1024 * 1024;

/** A file of a build, and the compressed copies that bin/compress.ts wrote. */
export interface StaticFile {
  /** As in the URL. Below /assets/ its name contains a hash of its content. */
  path: string;
  identity: Buffer;
  br: Buffer | null;
  gzip: Buffer | null;
}

type Representations = Partial<Record<Encoding, { body: Buffer; headers: Record<string, string> }>>;

/** The media type of a file with this path, by its ending; none for files that we don't serve. */
export function typeOf(path: string): string | undefined {
  return TYPES.get(extname(path));
}

/** Whether the path is that of a file whose name contains a hash of its content. */
export const isHashed = (path: string) => path.startsWith("/assets/");

/**
 * The files of the build.
 *
 * @throws for a file that is not served: one whose type is not in TYPES, or that is too large
 */
export function readStaticFiles(folder: string): StaticFile[] {
  const files: StaticFile[] = [];
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    const path = file.slice(folder.length).replaceAll(sep, "/");
    if (!entry.isFile() || /\.(br|gz)$/.test(path) || path.includes("/.")) continue;
    if (!typeOf(path)) throw new Error(`app/http/static-files.server.ts has no media type for ${path}`);
    const identity = readFileSync(file);
    if (identity.byteLength > MOST_BYTES)
      throw new Error(`${path} is larger than ${MOST_BYTES} bytes, the most this site serves as one file`);
    const copy = (suffix: string) => (existsSync(file + suffix) ? readFileSync(file + suffix) : null);
    files.push({ path, identity, br: copy(".br"), gzip: copy(".gz") });
  }
  return files;
}

/**
 * Serves the files of the build from memory: no read can fail while one is sent. Ignores `Range`, as
 * a server may (RFC 9110 §14.2): none of the files is large enough to resume.
 *
 * @param findShared looks for a hashed file that this build does not have: another version's (shared-assets.server.ts)
 * @returns a handler that calls `next` for every request it does not answer
 */
export function createStaticFiles(
  files: readonly StaticFile[],
  isHttps: boolean,
  findShared: (path: string) => Promise<StaticFile | null>,
) {
  const known = new Map(files.map((file) => [file.path, represent(file, isHttps)]));
  const represented = new WeakMap<StaticFile, Representations>();

  return (request: IncomingMessage, response: ServerResponse, next: () => void): void => {
    const { method, url = "" } = request;
    if (method !== "GET" && method !== "HEAD") {
      next();
      return;
    }
    const path = url.split("?", 1)[0] ?? "";
    const file = known.get(path);
    if (file) send(file, request, response);
    else if (isHashed(path)) {
      // Not `.then(…).catch(next)`: what goes wrong in `next` is not for it to answer again.
      void findShared(path).then(
        (shared) => (shared ? send(representOnce(shared), request, response) : next()),
        next,
      );
    } else next();
  };

  function representOnce(file: StaticFile): Representations {
    const made = represented.get(file) ?? represent(file, isHttps);
    represented.set(file, made);
    return made;
  }
}

function represent({ path, ...bodies }: StaticFile, isHttps: boolean): Representations {
  const hash = createHash("sha256").update(bodies.identity).digest("base64url").slice(0, 22);
  const as: Representations = {};
  for (const encoding of ["br", "gzip", "identity"] as const) {
    const body = bodies[encoding];
    if (!body) continue;
    const headers = {
      "Content-Type": typeOf(path) ?? "application/octet-stream",
      "Content-Length": String(body.byteLength),
      ...(encoding !== "identity" && { "Content-Encoding": encoding }),
      ETag: `"${hash}-${encoding}"`,
      Vary: "Accept-Encoding",
      "Cache-Control": isHashed(path) ? "public, max-age=31536000, immutable" : "public, max-age=3600",
      "X-Content-Type-Options": "nosniff",
      ...(isHttps && { "Strict-Transport-Security": HSTS }),
    };
    as[encoding] = { body, headers };
  }
  return as;
}

function send(as: Representations, request: IncomingMessage, response: ServerResponse): void {
  const chosen = as[chooseEncoding(request.headers["accept-encoding"])] ?? as.identity;
  if (!chosen) return;
  const { body, headers } = chosen;
  if (matchesEtag(request.headers["if-none-match"] ?? "", headers.ETag ?? "")) {
    const { "Content-Length": _length, "Content-Type": _type, ...headersOfNotModified } = headers;
    response.writeHead(304, headersOfNotModified).end();
  } else response.writeHead(200, headers).end(request.method === "HEAD" ? undefined : body);
}
