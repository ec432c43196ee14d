import type pg from "pg";
import Stripe from "stripe";
import { readBody } from "../../request-body.ts";
import { enterTimeOf } from "../clocks/clock-time.ts";
import { readKnobs } from "../knobs.ts";
import { newId } from "../store.ts";
import { inTransaction } from "../transaction.ts";
import { findEndpoint } from "./endpoints.ts";
import { invalidRequest, StripeApiError } from "./errors.ts";
import { expandAnswer } from "./expand.ts";
import { parseForm } from "./form.ts";
import { type Answer, onceForKey } from "./idempotency.ts";
import type { ApiCall } from "./params.ts";

interface Api {
  pool: pg.Pool;
  publicOrigin: string;
  secretKey: string;
  log: (message: string) => void;
}

/** Answers one call of Stripe's API, also when it fails; `path` starts with /v1. */
export async function handleApi(request: Request, path: string, api: Api): Promise<Response> {
  const requestId = newId("req");
  const answer = await answerCall(request, path, requestId, api).catch((error: unknown): Answer => {
    const failure = error instanceof StripeApiError ? error : unexpected(error, requestId, api.log);
    return { status: failure.status, body: failure.toBody(), replayed: false };
  });
  const key = request.headers.get("idempotency-key");
  return new Response(answer.body, {
    status: answer.status,
    headers: {
      "content-type": "application/json",
      "cache-control": "no-cache, no-store",
      "request-id": requestId,
      "stripe-version": Stripe.API_VERSION,
      ...(key && { "idempotency-key": key }),
      ...(answer.replayed && { "idempotent-replayed": "true" }),
    },
  });
}

async function answerCall(request: Request, path: string, requestId: string, api: Api): Promise<Answer> {
  await assertApiIsUp(api.pool);
  authenticate(request, api.secretKey);
  const encoded = await encodedParams(request);
  const { endpoint, id } = findEndpoint(request.method, path);
  const { expand, ...params } = parseForm(encoded);
  const key = request.method === "POST" ? request.headers.get("idempotency-key") : null;

  return inTransaction(api, { id: requestId, idempotency_key: key }, async (tx) => {
    const call: ApiCall = { tx, params, id, publicOrigin: api.publicOrigin };
    async function execute(): Promise<Answer> {
      const named = Object.values(params).filter((value) => typeof value === "string");
      await enterTimeOf(tx, [id, ...named], { lock: request.method !== "GET" });
      const answer = await endpoint(call);
      if (answer instanceof StripeApiError) {
        return { status: answer.status, body: answer.toBody(), replayed: false };
      }
      await expandAnswer(tx, answer, expand);
      return { status: 200, body: JSON.stringify(answer), replayed: false };
    }
    if (!key) return execute();
    return onceForKey(tx, { key, endpoint: `${request.method} ${path}`, params: sorted(encoded) }, execute);
  });
}

async function assertApiIsUp(pool: pg.Pool): Promise<void> {
  const { api } = await readKnobs(pool);
  if (api === "down") throw new StripeApiError(503, "api_error", "Stripe is currently unavailable.");
}

function authenticate(request: Request, secretKey: string): void {
  const key = /^Bearer (.+)$/.exec(request.headers.get("authorization") ?? "")?.[1];
  if (key === secretKey) return;
  const message = key
    ? `Invalid API Key provided: ${"*".repeat(8)}${key.slice(-4)}`
    : "You did not provide an API key. You need to provide your API key in the Authorization header.";
  throw new StripeApiError(401, "invalid_request_error", message);
}

/** The encoded parameters: the body of a POST, the query otherwise. */
async function encodedParams(request: Request): Promise<string> {
  if (request.method !== "POST") return new URL(request.url).search.slice(1);
  const body = await readBody(request);
  if (body === null) throw new StripeApiError(413, "invalid_request_error", "Request body is too large.");
  const type = request.headers.get("content-type") ?? "";
  if (body === "" || type.startsWith("application/x-www-form-urlencoded")) return body;
  throw invalidRequest(
    "Invalid request (check that your POST content type is application/x-www-form-urlencoded).",
  );
}

function sorted(encoded: string): string {
  const params = new URLSearchParams(encoded);
  params.sort();
  return params.toString();
}

function unexpected(error: unknown, requestId: string, log: Api["log"]): StripeApiError {
  log(`Stripe sandbox: ${requestId} failed: ${error instanceof Error ? error.stack : String(error)}`);
  return new StripeApiError(500, "api_error", "An unknown error occurred.");
}
