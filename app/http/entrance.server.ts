import { AsyncLocalStorage } from "node:async_hooks";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { RequestNotes } from "../telemetry/requests.server.ts";
import { applySecurityHeaders } from "./security-headers.server.ts";

/**
 * A way past the router for the few requests that come by the thousand. It takes them in their one usual form, and leaves everything
 * else to the router, which answers the usual ones alike.
 *
 * @returns whether it answers this one
 */
export type Entrance = (request: IncomingMessage, response: ServerResponse, notes: RequestNotes) => boolean;

/** The first that takes a request answers it. */
export function firstOf(...entrances: readonly Entrance[]): Entrance {
  return (request, response, notes) => entrances.some((take) => take(request, response, notes));
}

/** Its headers as those of a web request, to look a few of them up. */
export function headersOf({ headers }: IncomingMessage): Pick<Headers, "get"> {
  return { get: (name) => headers[name.toLowerCase()]?.toString() ?? null };
}

/** Whether its body has a length that is known beforehand, and is at most so many bytes, but not none. */
export function hasBodyOfAtMost(bytes: number, { headers }: IncomingMessage): boolean {
  const length = Number(headers["content-length"]);
  return length > 0 && length <= bytes;
}

/** Reads such a body, and then answers. A client who breaks off is not answered. */
export function readBody(request: IncomingMessage, answer: (body: Buffer<ArrayBuffer>) => void): void {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  // The socket's own events know nothing of the request.
  request.once(
    "end",
    AsyncLocalStorage.bind(() => answer(Buffer.concat(chunks))),
  );
}

/** The headers of everything that an entrance answers with a text of this type, as the router's answers have them. */
export function headersOfAnswers(contentType: string, publicOrigin: string): Record<string, string> {
  const headers = new Headers({
    "Content-Type": contentType,
    "Cache-Control": "no-store",
    Vary: "Accept-Encoding",
  });
  applySecurityHeaders(headers, publicOrigin.startsWith("https:"));
  return Object.fromEntries(headers);
}
