import type pg from "pg";
import { z } from "zod";
import { jsonResponse, readJson } from "./web.ts";

type Client = Pick<pg.ClientBase, "query">;

/**
 * The knobs of a sandbox, in its table `control`: they hold for every process.
 *
 * @param known every knob, with its default
 * @param afterChange gets the names and values that were set
 */
export function createKnobs<Known extends z.ZodObject>(
  schema: `sandbox_${string}`,
  known: Known,
  afterChange: (client: Client, named: Record<string, unknown>) => Promise<unknown> = async () => {},
) {
  const changeable = known.extend({
    /** Resets all knobs before the others in the request are set. */
    reset: z.literal(true).optional(),
  });

  async function read(client: Client): Promise<z.output<Known>> {
    const { rows } = await client.query(`SELECT knobs FROM ${schema}.control`);
    return known.parse(rows[0]?.knobs ?? {});
  }

  /** GET shows them, POST with any of them as JSON sets them, for every process at once. */
  async function handle(client: Client, request: Request): Promise<Response> {
    if (request.method === "GET") return jsonResponse(200, await read(client));
    if (request.method !== "POST")
      return new Response(null, { status: 405, headers: { allow: "GET, POST" } });
    const asked = await readJson(request);
    const change = changeable.safeParse(asked);
    if (!change.success) return jsonResponse(400, { error: { message: z.prettifyError(change.error) } });
    const named: Record<string, unknown> = Object.assign({}, asked);
    const { reset = false, ...knobs } = named;
    await client.query(
      `UPDATE ${schema}.control SET knobs = CASE WHEN $1 THEN '{}' ELSE knobs END || $2::jsonb`,
      [reset, JSON.stringify(knobs)],
    );
    await afterChange(client, named);
    return jsonResponse(200, await read(client));
  }

  return { read, handle };
}
