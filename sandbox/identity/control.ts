import type { Pool } from "pg";
import { z } from "zod";
import { readBody } from "../request-body.ts";
import { json } from "./answer.ts";
import type { Call } from "./context.ts";
import { rotateSigningKey } from "./providers/signing-keys.ts";

/** What can go wrong at a provider, at every sign-in after the knob is turned. README.md says what each does. */
const Knobs = z.strictObject({
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
  delay_ms: z.int().min(0).max(15_000),
  coop: z.boolean(),
  choose: z.union([z.literal(""), z.email()]),
});
export type Knobs = z.output<typeof Knobs>;

const atRest: Knobs = {
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
  delay_ms: 0,
  coop: false,
  choose: "",
};

const Change = Knobs.partial().extend({
  /** All knobs back to rest, before those named beside it are turned. */
  reset: z.literal(true).optional(),
  /** A new key signs from now on; what the old ones signed stays good. */
  rotate_keys: z.literal(true).optional(),
});

/** The knobs for tests: GET shows them, POST with any of them as JSON turns them, for every process at once. */
export async function handleControl({ request, pool }: Call): Promise<Response> {
  if (request.method === "GET") return json(200, await readKnobs(pool));
  const change = Change.safeParse(parseJson((await readBody(request)) ?? ""));
  if (!change.success) return json(400, { error: z.prettifyError(change.error) });
  const { reset = false, rotate_keys, ...knobs } = change.data;
  if (rotate_keys) await rotateSigningKey(pool);
  await pool.query(
    "UPDATE sandbox_identity.control SET knobs = CASE WHEN $1 THEN '{}' ELSE knobs END || $2::jsonb",
    [reset, JSON.stringify(knobs)],
  );
  return json(200, await readKnobs(pool));
}

export async function readKnobs(pool: Pool): Promise<Knobs> {
  const { rows } = await pool.query<{ knobs: Partial<Knobs> }>("SELECT knobs FROM sandbox_identity.control");
  return { ...atRest, ...rows[0]?.knobs };
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
