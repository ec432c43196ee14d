import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { createRequest, type RequestOptions, sendResponse } from "@remix-run/node-fetch-server";
import { wholeBodyOf } from "./whole-body.server.ts";

interface Options extends Pick<RequestOptions, "host" | "protocol"> {
  /** Logs what was thrown. @returns what is answered instead */
  onError(error: unknown): Response;
}

/**
 * Answers requests of sockets by a function of web requests: the listener of `@remix-run/node-fetch-server`, but that a body that
 * is at hand is sent in one piece, with its length.
 */
export function createFetchListener(
  handle: (request: Request, peerAddress: string) => Promise<Response>,
  { onError, ...options }: Options,
): RequestListener {
  return async (incoming, outgoing) => {
    let request: Request | undefined;
    const isGone = () => outgoing.destroyed || request?.signal.aborted === true;
    try {
      request = createRequest(incoming, outgoing, options);
      const answer = await handle(request, incoming.socket.remoteAddress ?? "");
      if (!isGone()) await send(incoming, outgoing, answer);
    } catch (error) {
      if (isGone()) return;
      const answer = onError(error);
      // A partial response must not look complete.
      if (outgoing.headersSent) outgoing.destroy();
      else await sendResponse(outgoing, answer);
    }
  };
}

async function send({ method }: IncomingMessage, outgoing: ServerResponse, answer: Response): Promise<void> {
  const body = wholeBodyOf(answer);
  if (!body || method === "HEAD") return sendResponse(outgoing, answer);
  const lines = ["content-length", String(body.byteLength)];
  for (const [name, value] of answer.headers) if (name !== "content-length") lines.push(name, value);
  outgoing.writeHead(answer.status, answer.statusText, lines).end(body);
}
