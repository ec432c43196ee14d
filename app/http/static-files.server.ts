import type { IncomingMessage, ServerResponse } from "node:http";
import sirv, { type Options } from "sirv";
import { HSTS } from "./security-headers.server.ts";

/** Whether the path is that of a file whose name contains a hash of its content. */
export const isHashed = (path: string) => /^\/assets\/[\w.-]+$/.test(path);

/** How long a file is kept, and what it is where its name does not say so to sirv. */
export function setFileHeaders(response: ServerResponse, path: string, isHttps: boolean): void {
  const lifetime = isHashed(path) ? "31536000, immutable" : "3600";
  response.setHeader("Cache-Control", `public, max-age=${lifetime}`);
  response.setHeader("X-Content-Type-Options", "nosniff");
  if (path.endsWith(".ico")) response.setHeader("Content-Type", "image/x-icon");
  if (path.endsWith(".txt")) response.setHeader("Content-Type", "text/plain; charset=utf-8");
  if (isHttps) response.setHeader("Strict-Transport-Security", HSTS);
}

/**
 * Serves the files of a folder, and their compressed copies that bin/compress.ts wrote. Ignores `Range`, as a server may
 * (RFC 9110 §14.2): none of the files is large enough to resume.
 *
 * @returns a handler that calls `next` for every request it does not answer
 */
export function createStaticFiles(folder: string, isHttps: boolean) {
  const options: Options = {
    // Looks at the disk for each request: a build made while this process runs replaces the files below it.
    dev: true,
    brotli: true,
    gzip: true,
    extensions: [],
    setHeaders: (response, path) => setFileHeaders(response, path, isHttps),
  };
  // What is in a hashed file never changes: nobody asks whether it has.
  const [sendHashed, send] = [sirv(folder, options), sirv(folder, { ...options, etag: true })];

  return (request: IncomingMessage, response: ServerResponse, next: () => void): void => {
    const [path = ""] = (request.url ?? "").split("?", 1);
    const isRead = request.method === "GET" || request.method === "HEAD";
    // A name with an ending, in folders that do not begin with a dot. The compressed copies have no addresses of their own.
    if (!isRead || !/^(\/\w[\w-]*)*\/\w[\w.-]*\.(?!br$|gz$)\w+$/.test(path)) next();
    else {
      delete request.headers.range;
      (isHashed(path) ? sendHashed : send)(request, response, next);
    }
  };
}
