import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { createKnobs } from "../knobs.ts";
import type { Context, Provider } from "./identity.ts";

/** Faults of a provider, in every sign-in from the moment they are set. README.md describes each. */
const knobs = createKnobs(
  "sandbox_identity",
  z.strictObject({
    email_verified: z.boolean().nullable().default(null),
    hosted_domain: z.boolean().default(true),
    email: z.enum(["send", "omit"]).default("send"),
    nonce: z.enum(["right", "wrong", "missing"]).default("right"),
    audience: z.enum(["right", "wrong"]).default("right"),
    issuer: z.enum(["right", "wrong"]).default("right"),
    alg: z.enum(["RS256", "none", "HS256", "HS256_secret", "unknown_key"]).default("RS256"),
    expired: z.boolean().default(false),
    denial: z.boolean().default(false),
    authorize_error: z
      .string()
      .regex(/^[\w.-]{0,100}$/)
      .default(""),
    token: z.enum(["ok", "invalid_client", "invalid_grant", "500", "hang", "garbage"]).default("ok"),
    coop: z.boolean().default(false),
  }),
);
export const readKnobs = knobs.read;
export type Knobs = Awaited<ReturnType<typeof readKnobs>>;

export const handleControl = ({ request, pool }: Context) => knobs.handle(pool, request);

/** How often a hanging request reads the knobs again. */
const LOOK_MILLISECONDS = 20;

type TokenErrors = Record<"invalid_client" | "invalid_grant", () => Response>;

/** Answers by `exchange`, unless a knob replaces or delays it. */
export async function answerTokenRequest(
  provider: Provider,
  context: Context,
  errors: TokenErrors,
  exchange: () => Promise<Response>,
): Promise<Response> {
  const response = await applyTokenKnobs(context, errors, exchange);
  context.log(
    `Identity sandbox: ${provider} ${response.ok ? "exchanged a code" : "rejected a code or a client"}`,
  );
  return response;
}

async function applyTokenKnobs(
  { request, knobs: first, ending, pool }: Context,
  errors: TokenErrors,
  exchange: () => Promise<Response>,
): Promise<Response> {
  const isOver = AbortSignal.any([request.signal, ending]);
  let knobs = first;
  while (knobs.token === "hang" && !isOver.aborted) {
    await sleep(LOOK_MILLISECONDS);
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
