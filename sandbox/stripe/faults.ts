import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import type { Knobs } from "./knobs.ts";

/**
 * What goes wrong with one call. Of those that time out some were executed: nobody who calls Stripe can know.
 * `reply_lost`: executed, but the connection ends before the answer.
 */
export type Fault = "none" | "timeout" | "timeout_after_success" | "server_error" | "reply_lost";

/** The fault of the next call, by the shares that are set. */
export async function drawFault(
  pool: pg.Pool,
  knobs: Knobs,
  { method, path }: { method: string; path: string },
): Promise<Fault> {
  const { timeouts, errors, lost_replies } = knobs;
  if (timeouts + errors + lost_replies === 0 || !isAffected(knobs, method, path)) return "none";
  const [which, whether] = await draw(pool, knobs.seed);
  if (which < timeouts) return whether < 0.5 ? "timeout" : "timeout_after_success";
  if (which < timeouts + errors) return "server_error";
  return which < timeouts + errors + lost_replies ? "reply_lost" : "none";
}

/** Waits as long as the knob says. */
export async function delay(knobs: Knobs, { method, path }: { method: string; path: string }): Promise<void> {
  if (knobs.latency_ms > 0 && isAffected(knobs, method, path)) await sleep(knobs.latency_ms);
}

/** `endpoints` is the beginning of a path, or of a method and a path: `POST /v1/checkout` */
function isAffected({ endpoints }: Knobs, method: string, path: string): boolean {
  return path.startsWith(endpoints) || `${method} ${path}`.startsWith(endpoints);
}

/** How far apart events may come that are shuffled. */
const SHUFFLE_MILLISECONDS = 2_000;

/** What becomes of the next event, by the shares that are set: one delay for each time it is sent; none when it is lost. */
export async function drawEventDelays(client: Pick<pg.ClientBase, "query">, knobs: Knobs): Promise<number[]> {
  const { events_lost, events_copies, events_shuffled, events_delay_ms, seed } = knobs;
  if (events_lost + events_copies === 0 && !events_shuffled) return [events_delay_ms];
  const [loss, copies, ...order] = await draw(client, seed);
  if (loss < events_lost) return [];
  // 1.3 copies: one, and in three of ten cases another.
  const deliveries = 1 + Math.floor(events_copies + copies);
  const shuffle = (at: number) =>
    events_shuffled ? (order[at % order.length] ?? 0) * SHUFFLE_MILLISECONDS : 0;
  return Array.from({ length: deliveries }, (_, at) => events_delay_ms + Math.floor(shuffle(at)));
}

/** Numbers between 0 and 1 that follow from the seed and from how many were drawn before, in all processes together. */
async function draw(
  client: Pick<pg.ClientBase, "query">,
  seed: number,
): Promise<[number, number, ...number[]]> {
  const { rows } = await client.query<{ n: string }>("SELECT nextval('sandbox_stripe.draws') AS n");
  const digest = createHash("sha512").update(`${seed}:${rows[0]?.n}`).digest();
  const [first = 0, second = 0, ...more] = Array.from(
    { length: digest.byteLength / 4 },
    (_, at) => digest.readUInt32BE(at * 4) / 2 ** 32,
  );
  return [first, second, ...more];
}

/** No client waits longer: the SDK gives up after 80 seconds unless it is told otherwise. */
const HANG_MILLISECONDS = 120_000;

/** Returns when the client has given up, or the process ends. */
export async function hang(request: Request, ending: AbortSignal): Promise<void> {
  const signal = AbortSignal.any([request.signal, ending]);
  await sleep(HANG_MILLISECONDS, undefined, { signal }).catch(() => {});
}

/** A response that ends the connection before its first byte: the server destroys a socket whose body fails. */
export function lostReply(): Response {
  return new Response(
    new ReadableStream({
      pull: (body) => body.error(new Error("Lost on purpose: a knob of the Stripe sandbox.")),
    }),
  );
}
