import type { IncomingMessage, ServerResponse } from "node:http";
import { namesAnother } from "../auth/account-mark.server.ts";
import { type Asker, readUser } from "../auth/session.server.ts";
import { WHAT_WAS_FETCHED_AHEAD } from "../http/asked.server.ts";
import { type App, contextOf, type RequestState } from "../http/context.server.ts";
import { compressText } from "../http/encoding.server.ts";
import {
  type Entrance,
  hasBodyOfAtMost,
  headersOf,
  headersOfAnswers,
  readBody,
} from "../http/entrance.server.ts";
import { fieldsOf, isForm } from "../http/form.server.ts";
import { isFromOwnPage } from "../http/origin-check.ts";
import { describeFault } from "../http/unavailable.server.ts";
import type { RequestNotes } from "../telemetry/requests.server.ts";
import { ACCOUNT_FIELD } from "../ui/account-mark.ts";
import { SENT_BY_SCRIPT } from "../ui/sent-by-script.ts";
import { REDEEM_PATH, readRedeemPath } from "./plan-promo-form.ts";
import { FORM_TYPE, redeemAndRender } from "./redeem-form.server.tsx";
import { PROMO_MESSAGES } from "./rules.ts";

/** A code of the greatest length, with every character encoded. */
const MOST_BYTES = 4 * 1024;
const LONGEST_URL = 100;
const MOST_FIELDS = 10;

interface EntranceOptions {
  stateOf(request: IncomingMessage, notes: RequestNotes): RequestState;
  /** Has the router answer a request that has been read already. */
  passOn(
    request: IncomingMessage,
    response: ServerResponse,
    body: Buffer<ArrayBuffer>,
    notes: RequestNotes,
  ): Promise<void>;
  /** Told of every answer that may have changed something. */
  onDone(): void;
}

/**
 * A way past the router for the codes that the script of /subscription sends: when one becomes known everybody comes at once, and the
 * router would be most of what an answer costs. It takes those of somebody signed in, sent from our own page, in a form of ours, and answers
 * as redeem.tsx does.
 */
export function createRedeemEntrance(app: App, { stateOf, passOn, onDone }: EntranceOptions): Entrance {
  const { publicOrigin } = app.config;
  const ownHeaders = headersOfAnswers(FORM_TYPE, publicOrigin);

  return (request, response, notes) => {
    if (request.method !== "POST" || !isPlain(request, publicOrigin)) return false;
    Object.assign(notes, { route: REDEEM_PATH, isFrequent: false });
    // Now, because a socket that has closed meanwhile does not know any more whose it was.
    const state = stateOf(request, notes);
    readBody(request, (body) => void answer(body, request, response, state));
    return true;
  };

  async function answer(
    body: Buffer<ArrayBuffer>,
    request: IncomingMessage,
    response: ServerResponse,
    state: RequestState,
  ): Promise<void> {
    try {
      const asker: Asker = { request: { headers: headersOf(request) }, context: contextOf(app, state) };
      const fields = new URLSearchParams(body.toString());
      const mark = fields.get(ACCOUNT_FIELD);
      const form = readFields(fields);
      // When that cannot be said now, the form says so.
      const user = form && (await readUser(asker).catch(() => undefined));
      const isOthers = user && namesAnother(app, mark, user);
      if (!form || user === null || isOthers) return await passOn(request, response, body, state.notes);
      const around = readRedeemPath(new URL(request.url ?? "", publicOrigin));
      const { body: text, ...head } = await redeemAndRender(asker, form, around);
      if (head.status < 400) onDone();
      const { body: sent, encoding } = await compressText(
        text,
        request.headers["accept-encoding"]?.toString(),
      );
      const encoded = encoding !== "identity" && { "content-encoding": encoding };
      send(response, state, { ...head, headers: { ...head.headers, ...encoded }, body: sent });
    } catch (error) {
      const fault = describeFault({ app, state }, error, PROMO_MESSAGES.failed, PROMO_MESSAGES.failed);
      const { status, message, headers } = fault;
      if (response.headersSent) response.destroy();
      else
        send(response, state, {
          status,
          headers: { ...headers, "content-type": "text/plain" },
          body: message,
        });
    }
  }

  function send(
    response: ServerResponse,
    { id, setCookies }: RequestState,
    { status, headers, body }: { status: number; headers: Record<string, string>; body: string | Buffer },
  ): void {
    if (response.destroyed) return;
    response
      .writeHead(status, {
        ...ownHeaders,
        ...headers,
        ...(setCookies.length > 0 && { "set-cookie": setCookies, "clear-site-data": WHAT_WAS_FETCHED_AHEAD }),
        ...(status >= 500 && { "x-request-id": id }),
        "content-length": Buffer.byteLength(body),
      })
      .end(body);
  }
}

/** Whether it is a script's form from a page of ours, as far as its head tells. */
function isPlain(request: IncomingMessage, publicOrigin: string): boolean {
  const { url = "", headers } = request;
  return (
    url.startsWith(`${REDEEM_PATH}?`) &&
    url.length <= LONGEST_URL &&
    headers[SENT_BY_SCRIPT.toLowerCase()] !== undefined &&
    headers.cookie !== undefined &&
    isForm(headers["content-type"]) &&
    hasBodyOfAtMost(MOST_BYTES, request) &&
    isFromOwnPage(headersOf(request), publicOrigin)
  );
}

function readFields(sent: URLSearchParams): URLSearchParams | null {
  const form = fieldsOf(sent);
  return form && form.size <= MOST_FIELDS ? form : null;
}
