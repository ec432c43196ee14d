import { createWebhookEntrance } from "./billing/webhook-entrance.server.ts";
import { MAX_EVENT_BYTES } from "./http/body-limit.server.ts";
import type { App, RequestState } from "./http/context.server.ts";
import { type Entrance, firstOf, headersOf } from "./http/entrance.server.ts";
import { passOn } from "./http/request-listener.server.ts";
import { PATH_RULES } from "./path-rules.ts";
import { createRedeemEntrance } from "./promo/redeem-entrance.server.ts";
import type { RequestNotes } from "./telemetry/requests.server.ts";

interface Ways {
  /** The router's, with the rules for all requests. */
  fetch(request: Request, peerAddress: string, notes: RequestNotes): Promise<Response>;
  /** Where a request comes from. */
  from(peerAddress: string, headers: Pick<Headers, "get">): Pick<RequestState, "client" | "hasSession">;
  /** Told of every answer that may have queued a job. */
  onDone(): void;
}

/** The ways past the router: for what comes by the thousand. */
export function createEntrances(app: App, { fetch, from, onDone }: Ways): Entrance {
  return firstOf(
    createWebhookEntrance(app, { path: PATH_RULES.events, maxBytes: MAX_EVENT_BYTES, onStored: onDone }),
    createRedeemEntrance(app, {
      stateOf: (request, notes) => ({
        ...{ id: notes.id, notes, setCookies: [] },
        ...from(request.socket.remoteAddress ?? "", headersOf(request)),
      }),
      passOn: (request, response, body, notes) =>
        passOn(request, response, body, {
          origin: app.config.publicOrigin,
          handle: (whole, peerAddress) => fetch(whole, peerAddress, notes),
        }),
      onDone,
    }),
  );
}
