import { setTimeout as sleep } from "node:timers/promises";
import type { Pool } from "pg";
import { z } from "zod";
import { jsonResponse, readJson } from "../web.ts";

/** Faults of a provider, in every sign-in from the moment they are set. README.md describes each. */
const knobsSchema = z.strictObject({
  email_verified: z.boolean().nullable(),
  hosted_domain: z.boolean(),
  email: z.enum(["send", "omit"]),
  nonce: z.enum(["right", "wrong", "missing"]),
  audience: z.enum(["right", "wrong"]),
  issuer: z.enum(["right", "wrong"]),
  alg: z.enum(["RS256", "none", "HS256", "HS256_secret", "unknown_key"]),
  expired: z.boolean(),
  denial: z.boolean(),
  authorize_error: z.string().regex(/^[\w.-]{0,100}$/),
  token: z.enum(["ok", "invalid_client", "invalid_grant", "500", "hang", "garbage"]),
  coop: z.boolean(),
});
export type Knobs = z.output<typeof knobsSchema>;

const DEFAULTS: Knobs = {
  email_verified: null,
  hosted_domain: true,
  email: "send",
  nonce: "right",
  audience: "right",
  issuer: "right",
  alg: "RS256",
  expired: false,
  denial: false,
  authorize_error: "",
  token: "ok",
  coop: false,
};

const changeSchema = knobsSchema.partial().extend({
  /** Resets all knobs before the others in the request are set. */
  reset: z.literal(true).optional(),
});

/** The knobs for tests: GET shows them, POST with any of them as JSON sets them, for every process at once. */
export async function handleControl({ request, pool }: { request: Request; pool: Pool }): Promise<Response> {
  if (request.method === "GET") return jsonResponse(200, await readKnobs(pool));
  const change = changeSchema.safeParse(await readJson(request));
  if (!change.success) return jsonResponse(400, { error: z.prettifyError(change.error) });
  const { reset = false, ...knobs } = change.data;
  await pool.query(
    "UPDATE sandbox_identity.control SET knobs = CASE WHEN $1 THEN '{}' ELSE knobs END || $2::jsonb",
    [reset, JSON.stringify(knobs)],
  );
  return jsonResponse(200, await readKnobs(pool));
}

export async function readKnobs(pool: Pool): Promise<Knobs> {
  const { rows } = await pool.query<{ knobs: Partial<Knobs> }>("SELECT knobs FROM sandbox_identity.control");
  return { ...DEFAULTS, ...rows[0]?.knobs };
}

/** How often a request that hangs looks whether it still does. */
const LOOK_MILLISECONDS = 20;

interface TokenErrors {
  invalid_client(): Response;
  invalid_grant(): Response;
}

/** The response of a token endpoint: that of `exchange`, unless a knob asks for another or a later one. */
export async function applyTokenKnobs(
  {
    request,
    knobs: first,
    ending,
    pool,
  }: { request: Request; knobs: Knobs; ending: AbortSignal; pool: Pool },
  errors: TokenErrors,
  exchange: () => Promise<Response>,
): Promise<Response> {
  const isOver = AbortSignal.any([request.signal, ending]);
  const wait = (milliseconds: number) => sleep(milliseconds, undefined, { signal: isOver }).catch(() => {});
  let knobs = first;
  while (knobs.token === "hang" && !isOver.aborted) {
    await wait(LOOK_MILLISECONDS);
    if (!isOver.aborted) knobs = await readKnobs(pool);
  }
  if (isOver.aborted) return new Response("Service Unavailable\n", { status: 503 });
  switch (knobs.token) {
    case "invalid_client":
    case "invalid_grant":
      return errors[knobs.token]();
    case "500":
      return new Response("Internal Server Error\n", { status: 500 });
    case "garbage":
      return new Response("<!doctype html>{", { headers: { "content-type": "application/json" } });
    default:
      return exchange();
  }
}
