import type { IncomingMessage, ServerResponse } from "node:http";
import sirv, { type Options } from "sirv";
import { HSTS } from "./security-headers.server.ts";

/** Whether the path is that of a file with a content hash in its name. */
export const isHashed = (path: string) => /^\/assets\/[\w.-]+$/.test(path);

/** Sets how long a file is cached, and its type where sirv cannot tell from its name. */
export function setFileHeaders(response: ServerResponse, path: string, isHttps: boolean): void {
  const lifetime = isHashed(path) ? "31536000, immutable" : "3600";
  response.setHeader("Cache-Control", `public, max-age=${lifetime}`);
  response.setHeader("X-Content-Type-Options", "nosniff");
  if (path.endsWith(".ico")) response.setHeader("Content-Type", "image/x-icon");
  if (path.endsWith(".txt")) response.setHeader("Content-Type", "text/plain; charset=utf-8");
  if (isHttps) response.setHeader("Strict-Transport-Security", HSTS);
}

/**
 * Serves the files of a folder, and their compressed copies written by bin/compress.ts. Ignores `Range`, as a server may
 * (RFC 9110 §14.2): no file is large enough to be resumed.
 *
 * @returns a handler that calls `next` for every request it does not answer
 */
export function createStaticFiles(folder: string, isHttps: boolean) {
  const options: Options = {
    // Reads the disk on each request: a build made while this process runs replaces the files.
    dev: true,
    brotli: true,
    gzip: true,
    extensions: [],
    setHeaders: (response, path) => setFileHeaders(response, path, isHttps),
  };
  // Hashed files are immutable, so they are never revalidated and need no ETag.
  const [sendHashed, send] = [sirv(folder, options), sirv(folder, { ...options, etag: true })];

  return (request: IncomingMessage, response: ServerResponse, next: () => void): void => {
    const [path = ""] = (request.url ?? "").split("?", 1);
    const isRead = request.method === "GET" || request.method === "HEAD";
    // Only names with an extension, in folders without a leading dot. The compressed copies have no URLs of their own.
    if (!isRead || !/^(\/\w[\w-]*)*\/\w[\w.-]*\.(?!br$|gz$)\w+$/.test(path)) next();
    else {
      delete request.headers.range;
      (isHashed(path) ? sendHashed : send)(request, response, next);
    }
  };
}
