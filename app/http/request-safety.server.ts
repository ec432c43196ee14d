import { AsyncLocalStorage } from "node:async_hooks";
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "../log/log.server.ts";
import type { createRequests, RequestNotes } from "../telemetry/requests.server.ts";
import { newWorkId } from "../telemetry/work.server.ts";
import { commonHeaders, PLAIN_TEXT } from "./security-headers.server.ts";

const OUR_FAULT = "Unexpected Application Error!";
/** How much of an unread body is discarded before the connection is closed. */
const MAX_DISCARDED_BYTES = 1024 * 1024;
/** How long a client that sends more than that has to read the response. */
const LINGER_MILLISECONDS = 1_000;

/**
 * Confines an exception to the request that caused it (decision 0026): whatever is thrown while handling it, even later from
 * a stream, a timer or a floating promise, is logged with the request's id and answered with a plain 500.
 */
export function createRequestSafety(log: Log, requests: Pick<ReturnType<typeof createRequests>, "begin">) {
  const current = new AsyncLocalStorage<{ response: ServerResponse; notes: RequestNotes }>();

  return { guard, notes, failedResponse, onUncaught };

  /** The notes of the current request. */
  function notes(): RequestNotes {
    const store = current.getStore();
    if (!store) throw new Error("no request is being answered");
    return store.notes;
  }

  /** Wraps a listener so that nothing it throws escapes, and an unread body does not block the connection. */
  function guard(answer: (request: IncomingMessage, response: ServerResponse, notes: RequestNotes) => void) {
    return (request: IncomingMessage, response: ServerResponse): void => {
      if (mayBeCutOff(request)) closeAfterAnswer(request, response);
      response.once("finish", () => discardUnreadBody(request));
      requests.begin(request, response, (notes) =>
        current.run({ response, notes }, () => {
          try {
            answer(request, response, notes);
          } catch (error) {
            onUncaught(error);
          }
        }),
      );
    };
  }

  /** Logs an error and returns the response for it. */
  function failedResponse(error: unknown): Response {
    return new Response(OUR_FAULT, {
      status: 500,
      headers: { ...PLAIN_TEXT, "X-Request-Id": logFailure(error) },
    });
  }

  /** Handles `uncaughtException`, which includes unhandled rejections. AsyncLocalStorage knows the request. */
  function onUncaught(error: unknown): void {
    const id = logFailure(error);
    const response = current.getStore()?.response;
    if (!response || response.writableEnded) return;
    // A partial response must not look complete.
    if (response.headersSent) response.destroy();
    else {
      for (const name of response.getHeaderNames()) if (!COMMON.has(name)) response.removeHeader(name);
      response.writeHead(500, { ...PLAIN_TEXT, "X-Request-Id": id }).end(OUR_FAULT);
    }
  }

  /** @returns the id it is logged under */
  function logFailure(error: unknown): string {
    const request = current.getStore()?.notes;
    const id = request?.id ?? newWorkId();
    log.error(
      { error, id, ...(request && { method: request.method, route: request.route }) },
      request ? "a request failed outside the router" : "an exception escaped",
    );
    return id;
  }
}

/** Those of every response, which stay when a response that has begun to be written is replaced. */
const COMMON = new Set(Array.from(commonHeaders(true).keys(), (name) => name.toLowerCase()));

/** Whether the body may exceed what is discarded. A body without a length can be of any size. */
function mayBeCutOff({ headers }: IncomingMessage): boolean {
  return (
    headers["transfer-encoding"] !== undefined || Number(headers["content-length"]) > MAX_DISCARDED_BYTES
  );
}

/**
 * Sends `Connection: close`. Otherwise a proxy could reuse the connection for another user's request, which would be lost when
 * the connection is cut off.
 */
function closeAfterAnswer(request: IncomingMessage, response: ServerResponse): void {
  const { socket } = request;
  const closeSoon = socket.destroySoon.bind(socket);
  response.shouldKeepAlive = false;
  // Node calls this after such an answer. Closing with bytes unread resets the connection, and a reset can overtake the answer.
  socket.destroySoon = () => {
    if (request.complete) return closeSoon();
    socket.end();
    request.once("end", closeSoon);
  };
}

/**
 * Discards the rest of a body, so that the next request on the connection can be read. A client that sends too much is
 * paused, given a moment to read the response, and disconnected.
 */
function discardUnreadBody(request: IncomingMessage): void {
  if (request.complete) return;
  let bytes = 0;
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.byteLength;
    if (bytes <= MAX_DISCARDED_BYTES || request.isPaused()) return;
    request.pause();
    void sleep(LINGER_MILLISECONDS, undefined, { ref: false }).then(() => request.destroy());
  });
  request.resume();
}
