import type { IncomingMessage, ServerResponse } from "node:http";
import type { App } from "../http/context.server.ts";
import { type Entrance, hasBodyOfAtMost, headersOfAnswers, readBody } from "../http/entrance.server.ts";
import { describeFault } from "../http/unavailable.server.ts";
import type { RequestNotes } from "../telemetry/requests.server.ts";
import { receiveDelivery } from "./webhook.server.ts";

const JSON_TYPE = /^application\/json\s*(;|$)/i;

/**
 * A way to the webhook past the router, since a delivery is the one request that comes by the thousand: a program's, in one form,
 * with no cookie. It takes them as Stripe sends them, JSON of a known length, and leaves everything else to the router, whose
 * rules would find nothing to object to in these: the origin of what is signed does not matter.
 */
export function createWebhookEntrance(
  app: Pick<App, "config" | "log" | "payments" | "storeEvent" | "telemetry">,
  { path, maxBytes, onStored }: { path: string; maxBytes: number; onStored: () => void },
): Entrance {
  const ownHeaders = headersOfAnswers("text/plain", app.config.publicOrigin);

  return (request, response, notes) => {
    if (request.method !== "POST" || request.url !== path) return false;
    if (!hasBodyOfAtMost(maxBytes, request)) return false;
    if (!JSON_TYPE.test(request.headers["content-type"] ?? "")) return false;
    Object.assign(notes, { route: path, isFrequent: false });
    readBody(request, (body) => void answer(body, request, response, notes));
    return true;
  };

  async function answer(
    body: Buffer,
    { headers }: IncomingMessage,
    response: ServerResponse,
    { id }: RequestNotes,
  ): Promise<void> {
    try {
      const { text, status } = await receiveDelivery(app, body, String(headers["stripe-signature"] ?? ""));
      if (status === 200) onStored();
      send(response, status, text, status >= 500 ? id : null);
    } catch (error) {
      const fault = describeFault(
        { app, state: { id } },
        error,
        "a delivery could not be kept",
        "Try again.",
      );
      send(response, fault.status, fault.message, id, fault.headers);
    }
  }

  function send(
    response: ServerResponse,
    status: number,
    text: string,
    requestId: string | null,
    more: Record<string, string> = {},
  ): void {
    response
      .writeHead(status, {
        ...ownHeaders,
        ...more,
        ...(requestId && { "X-Request-Id": requestId }),
        "Content-Length": Buffer.byteLength(text),
      })
      .end(text);
  }
}
