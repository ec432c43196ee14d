import type { IncomingMessage, ServerResponse } from "node:http";
import { lookup } from "mrmime";
import sirv, { type Options } from "sirv";

/** With a content hash in its name. */
export const isHashed = (path: string) => /^\/assets\/[\w.-]+$/.test(path);

export function setFileHeaders(response: ServerResponse, path: string): void {
  const lifetime = isHashed(path) ? "31536000, immutable" : "3600";
  response.setHeader("Cache-Control", `public, max-age=${lifetime}`);
  const type = path.endsWith(".ico") ? "image/x-icon" : (lookup(path) ?? "application/octet-stream");
  response.setHeader("Content-Type", type.startsWith("text/") ? `${type}; charset=utf-8` : type);
}

/** Ignores `Range`, as a server may (RFC 9110 §14.2): no file is large enough to be resumed. */
export function createStaticFiles(folder: string) {
  const options: Options = {
    // Reads the disk on each request: a build made meanwhile replaces the files.
    dev: true,
    brotli: true,
    gzip: true,
    extensions: [],
    setHeaders: setFileHeaders,
  };
  // Immutable, so never revalidated.
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
