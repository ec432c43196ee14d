import type pg from "pg";
import { z } from "zod";
import { readJson } from "../request-body.ts";
import { invalidRequest } from "./api/errors.ts";

const knobsSchema = z.strictObject({
  /** `hold` keeps events queued; `deliver` sends them, the held ones too. */
  webhooks: z.enum(["deliver", "hold"]),
  /** `down` answers every API call with 503. */
  api: z.enum(["up", "down"]),
  /** What becomes of a subscription when the last retry of its payment has failed. */
  dunning: z.enum(["cancel", "unpaid", "past_due"]),
});
type Knobs = z.output<typeof knobsSchema>;

/** The knobs for tests: GET shows them, POST with any of them as JSON sets them, for every process at once. */
export async function handleControl(request: Request, pool: pg.Pool): Promise<Response> {
  if (request.method === "GET") return Response.json(await readKnobs(pool));
  if (request.method !== "POST") return new Response(null, { status: 405, headers: { allow: "GET, POST" } });
  const changes = knobsSchema.partial().safeParse(await readJson(request));
  if (!changes.success) throw invalidRequest(z.prettifyError(changes.error));
  const { webhooks = null, api = null, dunning = null } = changes.data;
  await pool.query(
    `UPDATE sandbox_stripe.control
     SET webhooks = coalesce($1, webhooks), api = coalesce($2, api), dunning = coalesce($3, dunning)`,
    [webhooks, api, dunning],
  );
  return Response.json(await readKnobs(pool));
}

export async function readKnobs(pool: pg.Pool): Promise<Knobs> {
  const { rows } = await pool.query<Knobs>("SELECT webhooks, api, dunning FROM sandbox_stripe.control");
  return rows[0] ?? { webhooks: "deliver", api: "up", dunning: "cancel" };
}
