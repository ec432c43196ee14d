import type pg from "pg";
import { z } from "zod";
import { readJson } from "./web.ts";

type Client = Pick<pg.ClientBase, "query">;

/**
 * The knobs of a sandbox, in its table `control`: they hold for every process.
 *
 * @param schema of PostgreSQL
 * @param known every knob, with its default
 */
export function createKnobs<Known extends z.ZodObject>(schema: `sandbox_${string}`, known: Known) {
  const changeable = known.extend({
    /** Resets all knobs before the others in the request are set. */
    reset: z.literal(true).optional(),
  });

  async function read(client: Client): Promise<z.output<Known>> {
    const { rows } = await client.query(`SELECT knobs FROM ${schema}.control`);
    return known.parse(rows[0]?.knobs ?? {});
  }

  /** Sets what a request has as JSON. @returns what it named; or what is wrong with it, in words */
  async function set(client: Client, request: Request): Promise<Record<string, unknown> | string> {
    const asked = await readJson(request);
    const change = changeable.safeParse(asked);
    if (!change.success) return z.prettifyError(change.error);
    const named: Record<string, unknown> = Object.assign({}, asked);
    const { reset = false, ...knobs } = named;
    await client.query(
      `UPDATE ${schema}.control SET knobs = CASE WHEN $1 THEN '{}' ELSE knobs END || $2::jsonb`,
      [reset, JSON.stringify(knobs)],
    );
    return named;
  }

  return { read, set };
}
