import { setTimeout as sleep } from "node:timers/promises";
import type { Call } from "./context.ts";

/** The longest a timer of Node waits: 24 days, in milliseconds. */
const FOREVER = 2 ** 31 - 1;

interface Refusals {
  invalid_client(): Response;
  invalid_grant(): Response;
}

/** What a face's token endpoint answers: what it should, unless a knob says something else or later. */
export async function answerToken(
  { request, knobs, closing }: Call,
  refusals: Refusals,
  exchange: () => Promise<Response>,
): Promise<Response> {
  const milliseconds = knobs.token === "hang" ? FOREVER : knobs.delay_ms;
  const isOver = AbortSignal.any([request.signal, closing]);
  if (milliseconds > 0) await sleep(milliseconds, undefined, { signal: isOver }).catch(() => {});
  if (isOver.aborted) return new Response("Service Unavailable\n", { status: 503 });
  switch (knobs.token) {
    case "invalid_client":
    case "invalid_grant":
      return refusals[knobs.token]();
    case "500":
      return new Response("Internal Server Error\n", { status: 500 });
    case "garbage":
      return new Response("<!doctype html>{", { headers: { "content-type": "application/json" } });
    default:
      return exchange();
  }
}
