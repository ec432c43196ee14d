import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "../log/log.server.ts";

const OUR_FAULT = "Unexpected Application Error!";
/** How much of a body that nobody read may still come before the connection is given up. */
const MOST_DISCARDED_BYTES = 1024 * 1024;
/** How long a client that sends more than that has to read its answer. */
const LINGER_MILLISECONDS = 1_000;

/**
 * Keeps what goes wrong with one request to that request (decision 0026): whatever is thrown while it is answered, now
 * or later, in a stream, a timer or a promise nobody waits for, is logged with an id and answered with a plain 500.
 */
export function createRequestSafety(log: Log) {
  const underWay = new AsyncLocalStorage<{ request: IncomingMessage; response: ServerResponse }>();

  return { guard, failedResponse, onUncaught };

  /** The same listener, from which nothing escapes, and after which the connection is of use again. */
  function guard(answer: RequestListener): RequestListener {
    return (request, response) => {
      response.once("finish", () => discardUnreadBody(request));
      underWay.run({ request, response }, () => {
        try {
          answer(request, response);
        } catch (error) {
          onUncaught(error);
        }
      });
    };
  }

  /** What a failure is answered with where an answer can still be given. Notes it in the log. */
  function failedResponse(error: unknown): Response {
    const headers = {
      "Content-Type": "text/plain",
      "Cache-Control": "no-store",
      "X-Request-Id": note(error),
    };
    return new Response(OUR_FAULT, { status: 500, headers });
  }

  /** For `uncaughtException`, which rejections nobody handles become too; Node remembers whose request it was. */
  function onUncaught(error: unknown): void {
    const id = note(error);
    const response = underWay.getStore()?.response;
    if (!response || response.writableEnded) return;
    // Half an answer must not be taken for a whole one.
    if (response.headersSent) response.destroy();
    else {
      for (const name of response.getHeaderNames()) response.removeHeader(name);
      response
        .writeHead(500, { "Content-Type": "text/plain", "Cache-Control": "no-store", "X-Request-Id": id })
        .end(OUR_FAULT);
    }
  }

  /** @returns the id it is logged under */
  function note(error: unknown): string {
    const id = randomUUID();
    const request = underWay.getStore()?.request;
    const where = request && { method: request.method, path: request.url?.split("?", 1)[0] };
    log.error(
      { error, id, ...where },
      request ? "a request failed outside the router" : "an exception escaped",
    );
    return id;
  }
}

/**
 * Lets the rest of a body go by, so that the next request on the connection can be read. A client that goes on and on is
 * held up, given a moment to read its answer, and cut off.
 */
function discardUnreadBody(request: IncomingMessage): void {
  if (request.complete) return;
  let bytes = 0;
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.byteLength;
    if (bytes <= MOST_DISCARDED_BYTES || request.isPaused()) return;
    request.pause();
    void sleep(LINGER_MILLISECONDS, undefined, { ref: false }).then(() => request.destroy());
  });
  request.resume();
}
