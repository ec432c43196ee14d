import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { z } from "zod";
import { createKnobs } from "../knobs.ts";

const share = z.number().min(0).max(1).default(0);

/** Faults of Stripe, from the moment they are set. README.md describes each. */
const knobs = createKnobs(
  "sandbox_stripe",
  z.strictObject({
    webhooks: z.enum(["deliver", "hold"]).default("deliver"),
    api: z.enum(["up", "down"]).default("up"),
    endpoints: z.string().max(100).default(""),
    timeouts: share,
    errors: share,
    lost_replies: share,
    rate_limits: share,
    events_lost: share,
    seed: z.int().default(1),
    tax: z.enum(["active", "pending"]).default("active"),
  }),
  // The same seed repeats the same faults.
  async (client, { reset, seed }) =>
    (reset || seed !== undefined) && client.query("SELECT setval('sandbox_stripe.draws', 1, false)"),
);
export const { read: readKnobs, handle: handleControl } = knobs;
export type Knobs = Awaited<ReturnType<typeof readKnobs>>;

type Client = Pick<pg.ClientBase, "query">;

/** The fault of one call. Some calls that time out were executed, which a client cannot know. */
export type Fault =
  | "none"
  | "timeout"
  | "timeout_after_success"
  | "server_error"
  | "reply_lost"
  | "rate_limit";

/** The fault of the next call, by the shares that are set. `endpoints` is the beginning of `/v1/…` or of `POST /v1/…`. */
export async function drawFault(client: Client, knobs: Knobs, method: string, path: string): Promise<Fault> {
  const { endpoints, timeouts, errors, lost_replies, rate_limits } = knobs;
  const isAffected = path.startsWith(endpoints) || `${method} ${path}`.startsWith(endpoints);
  if (timeouts + errors + lost_replies + rate_limits === 0 || !isAffected) return "none";
  const [which, whether] = await draw(client, knobs.seed);
  if (which < timeouts) return whether < 0.5 ? "timeout" : "timeout_after_success";
  if (which < timeouts + errors) return "server_error";
  if (which < timeouts + errors + lost_replies) return "reply_lost";
  return which < timeouts + errors + lost_replies + rate_limits ? "rate_limit" : "none";
}

export async function isEventLost(client: Client): Promise<boolean> {
  const { events_lost, seed } = await readKnobs(client);
  return events_lost > 0 && (await draw(client, seed))[0] < events_lost;
}

/** Two numbers between 0 and 1, determined by the seed and by the number of earlier draws in all processes. */
async function draw(client: Client, seed: number): Promise<[number, number]> {
  const { rows } = await client.query<{ n: string }>("SELECT nextval('sandbox_stripe.draws') AS n");
  const digest = createHash("sha256").update(`${seed}:${rows[0]?.n}`).digest();
  return [digest.readUInt32BE(0) / 2 ** 32, digest.readUInt32BE(4) / 2 ** 32];
}

/** By default the SDK times out after 80 seconds. */
const HANG_MILLISECONDS = 120_000;

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
