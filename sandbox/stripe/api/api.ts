import type pg from "pg";
import Stripe from "stripe";
import { readControl } from "../control.ts";
import { newId } from "../object-id.ts";
import { readBody } from "../read-body.ts";
import { inTransaction } from "../transaction.ts";
import type { ApiCall } from "./api-call.ts";
import { findEndpoint } from "./endpoints.ts";
import { invalidRequest, StripeApiError } from "./errors.ts";
import { expandAnswer } from "./expand.ts";
import { parseForm } from "./form.ts";
import { type Answer, onceForKey } from "./idempotency.ts";

interface Api {
  pool: pg.Pool;
  publicOrigin: string;
  secretKey: string;
  log: (message: string) => void;
}

/** Answers one call of Stripe's API; `path` starts with /v1. Every failure is an answer too. */
export async function handleApi(request: Request, path: string, api: Api): Promise<Response> {
  const requestId = newId("req");
  const answer = await answerCall(request, path, requestId, api).catch((error: unknown): Answer => {
    const refusal = error instanceof StripeApiError ? error : unexpected(error, requestId, api.log);
    return { status: refusal.status, body: refusal.toBody(), replayed: false };
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
  await refuseWhileDown(api.pool);
  authenticate(request, api.secretKey);
  const encoded = await encodedParams(request);
  const { endpoint, id } = findEndpoint(request.method, path);
  const { expand, ...params } = parseForm(encoded);
  const key = request.method === "POST" ? request.headers.get("idempotency-key") : null;

  return inTransaction(api.pool, { id: requestId, idempotency_key: key }, async (tx) => {
    const call: ApiCall = { tx, params, id, publicOrigin: api.publicOrigin };
    async function execute(): Promise<Answer> {
      const answer = await endpoint(call);
      await expandAnswer(tx, answer, expand);
      return { status: 200, body: JSON.stringify(answer), replayed: false };
    }
    if (!key) return execute();
    return onceForKey(
      tx,
      { key, endpoint: `${request.method} ${path}`, params: inFixedOrder(encoded) },
      execute,
    );
  });
}

async function refuseWhileDown(pool: pg.Pool): Promise<void> {
  const { api } = await readControl(pool);
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

/** The parameters as they were sent: the body of a POST, the query of anything else. */
async function encodedParams(request: Request): Promise<string> {
  if (request.method !== "POST") return new URL(request.url).search.slice(1);
  const body = await readBody(request);
  const type = request.headers.get("content-type") ?? "";
  if (body === "" || type.startsWith("application/x-www-form-urlencoded")) return body;
  throw invalidRequest(
    "Invalid request (check that your POST content type is application/x-www-form-urlencoded).",
  );
}

function inFixedOrder(encoded: string): string {
  const params = new URLSearchParams(encoded);
  params.sort();
  return params.toString();
}

function unexpected(error: unknown, requestId: string, log: Api["log"]): StripeApiError {
  log(`Stripe sandbox: ${requestId} failed: ${error instanceof Error ? error.stack : String(error)}`);
  return new StripeApiError(500, "api_error", "An unknown error occurred.");
}
