import type pg from "pg";
import { z } from "zod";
import { readJson } from "../request-body.ts";
import { invalidRequest } from "./api/errors.ts";

/** Between 0, never, and 1, every time. */
const share = z.number().min(0).max(1);

/** What can go wrong at Stripe, from the moment it is set. README.md says what each does. */
const knobsSchema = z.strictObject({
  webhooks: z.enum(["deliver", "hold"]),
  api: z.enum(["up", "down"]),
  /** What becomes of a subscription when the last retry of its payment has failed. */
  dunning: z.enum(["cancel", "unpaid", "past_due"]),
  endpoints: z.string().max(100),
  latency_ms: z.int().min(0).max(60_000),
  timeouts: share,
  errors: share,
  lost_replies: share,
  events_lost: share,
  events_copies: z.number().min(0).max(9),
  events_shuffled: z.boolean(),
  events_delay_ms: z.int().min(0).max(86_400_000),
  seed: z.int(),
});
export type Knobs = z.output<typeof knobsSchema>;

const DEFAULTS: Knobs = {
  webhooks: "deliver",
  api: "up",
  dunning: "cancel",
  endpoints: "",
  latency_ms: 0,
  timeouts: 0,
  errors: 0,
  lost_replies: 0,
  events_lost: 0,
  events_copies: 0,
  events_shuffled: false,
  events_delay_ms: 0,
  seed: 1,
};

const changeSchema = knobsSchema.partial().extend({
  /** Resets all knobs, before those named beside it are set. */
  reset: z.literal(true).optional(),
});

/** The knobs for tests: GET shows them, POST with any of them as JSON sets them, for every process at once. */
export async function handleControl(request: Request, pool: pg.Pool): Promise<Response> {
  if (request.method === "GET") return Response.json(await readKnobs(pool));
  if (request.method !== "POST") return new Response(null, { status: 405, headers: { allow: "GET, POST" } });
  const change = changeSchema.safeParse(await readJson(request));
  if (!change.success) throw invalidRequest(z.prettifyError(change.error));
  const { reset = false, ...knobs } = change.data;
  await pool.query(
    "UPDATE sandbox_stripe.control SET knobs = CASE WHEN $1 THEN '{}' ELSE knobs END || $2::jsonb",
    [reset, JSON.stringify(knobs)],
  );
  // The same seed gives the same faults again.
  if (reset || knobs.seed !== undefined) await pool.query("SELECT setval('sandbox_stripe.draws', 1, false)");
  return Response.json(await readKnobs(pool));
}

export async function readKnobs(client: Pick<pg.ClientBase, "query">): Promise<Knobs> {
  const { rows } = await client.query<{ knobs: Partial<Knobs> }>("SELECT knobs FROM sandbox_stripe.control");
  return { ...DEFAULTS, ...rows[0]?.knobs };
}
