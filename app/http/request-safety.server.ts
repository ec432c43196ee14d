import { AsyncLocalStorage } from "node:async_hooks";
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "../log/log.server.ts";
import type { createRequests, RequestNotes } from "../telemetry/requests.server.ts";
import { newWorkId } from "../telemetry/work.server.ts";
import { commonHeaders, PLAIN_TEXT } from "./security-headers.server.ts";

const OUR_FAULT = "Unexpected Application Error!";
/** Of an unread body, before the connection is closed. */
const MAX_DISCARDED_BYTES = 1024 * 1024;
/** Then a client that sends more is disconnected. */
const LINGER_MILLISECONDS = 1_000;

/** Confines exceptions to their request (decision 0026), even from timers and floating promises: a logged, plain 500. */
export function createRequestSafety(log: Log, requests: Pick<ReturnType<typeof createRequests>, "begin">) {
  const current = new AsyncLocalStorage<{ response: ServerResponse; notes: RequestNotes }>();

  return { guard, notes, failedResponse, onUncaught };

  function notes(): RequestNotes {
    const store = current.getStore();
    if (!store) throw new Error("no request is being answered");
    return store.notes;
  }

  /** An unread body does not block the connection. */
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

  function failedResponse(error: unknown): Response {
    return new Response(OUR_FAULT, {
      status: 500,
      headers: { ...PLAIN_TEXT, "X-Request-Id": logFailure(error) },
    });
  }

  /** Includes unhandled rejections. AsyncLocalStorage knows the request. */
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

/** They stay when a response that has begun to be written is replaced. */
const COMMON = new Set(Array.from(commonHeaders(true).keys(), (name) => name.toLowerCase()));

/** A body without a length can be of any size. */
function mayBeCutOff({ headers }: IncomingMessage): boolean {
  return (
    headers["transfer-encoding"] !== undefined || Number(headers["content-length"]) > MAX_DISCARDED_BYTES
  );
}

/** Otherwise a proxy could reuse the connection for another user's request, which would be lost when it is cut off. */
function closeAfterAnswer(request: IncomingMessage, response: ServerResponse): void {
  const { socket } = request;
  const closeSoon = socket.destroySoon.bind(socket);
  response.shouldKeepAlive = false;
  // Closing with bytes unread resets the connection, and a reset can overtake the answer.
  socket.destroySoon = () => {
    if (request.complete) return closeSoon();
    socket.end();
    request.once("end", closeSoon);
  };
}

/** So that the connection's next request can be read. A client that sends too much is disconnected after the response. */
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
