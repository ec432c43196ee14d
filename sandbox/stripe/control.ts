import type pg from "pg";
import { z } from "zod";
import { invalidRequest } from "./api/errors.ts";
import { readBody } from "./read-body.ts";

const Control = z.strictObject({
  /** `hold` keeps events queued; `deliver` sends them, the held ones too. */
  webhooks: z.enum(["deliver", "hold"]),
  /** `down` answers every API call with 503. */
  api: z.enum(["up", "down"]),
});
type Control = z.output<typeof Control>;

/** The knobs for tests: GET shows them, POST with any of them as JSON turns them, for every process at once. */
export async function handleControl(request: Request, pool: pg.Pool): Promise<Response> {
  if (request.method === "GET") return Response.json(await readControl(pool));
  if (request.method !== "POST") return new Response(null, { status: 405, headers: { allow: "GET, POST" } });
  const changes = Control.partial().safeParse(parseJson(await readBody(request)));
  if (!changes.success) throw invalidRequest(z.prettifyError(changes.error));
  const { webhooks = null, api = null } = changes.data;
  await pool.query(
    "UPDATE sandbox_stripe.control SET webhooks = coalesce($1, webhooks), api = coalesce($2, api)",
    [webhooks, api],
  );
  return Response.json(await readControl(pool));
}

export async function readControl(pool: pg.Pool): Promise<Control> {
  const { rows } = await pool.query<Control>("SELECT webhooks, api FROM sandbox_stripe.control");
  return rows[0] ?? { webhooks: "deliver", api: "up" };
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
