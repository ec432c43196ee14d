import Stripe from "stripe";
import { isDatabaseAway } from "../../unavailable.ts";
import { readBody } from "../../web.ts";
import { drawFault, type Fault, hang, type Knobs, lostReply, readKnobs } from "../faults.ts";
import { newId } from "../store.ts";
import { enterTimeOf, inTransaction, type Site, type Transaction } from "../transaction.ts";
import { findEndpoint } from "./endpoints.ts";
import { InvalidParameterError, invalidRequest, notInSandbox, StripeApiError } from "./errors.ts";
import { expandAnswer } from "./expand.ts";
import { type Answer, onceForKey } from "./idempotency.ts";
import type { ApiCall } from "./params.ts";
import { parseForm } from "./params.ts";

interface Api extends Site {
  secretKey: string;
  /** Aborted when the process ends: no request is delayed from then on. */
  ending: AbortSignal;
  log: (message: string) => void;
}

/** Answers one call of Stripe's API, with an error if it fails; `path` starts with /v1 or /v2. */
export async function answerApi(request: Request, path: string, api: Api): Promise<Response> {
  const requestId = newId("req");
  const knobs = await readKnobs(api.pool);
  const fault = await drawFault(api.pool, knobs, request.method, path);
  if (fault === "timeout") {
    await hang(request, api.ending);
    return lostReply();
  }
  const call = { request, path, requestId, knobs, fault };
  const answer = await answerCall(call, api).catch((error: unknown): Answer => {
    if (isDatabaseAway(error)) throw error;
    const failure = error instanceof StripeApiError ? error : unexpected(error, requestId, api.log);
    return { status: failure.status, body: failure.toBody(), replayed: false };
  });
  if (fault === "timeout_after_success") await hang(request, api.ending);
  if (fault === "timeout_after_success" || fault === "reply_lost") return lostReply();
  const key = request.headers.get("idempotency-key");
  return new Response(answer.body, {
    status: answer.status,
    headers: {
      "content-type": "application/json",
      "cache-control": "no-cache, no-store",
      "request-id": requestId,
      "stripe-version": Stripe.API_VERSION,
      // A retry would get the same answer.
      ...((answer.status === 501 || (answer.status === 500 && key)) && { "stripe-should-retry": "false" }),
      ...(key && { "idempotency-key": key }),
      ...(answer.replayed && { "idempotent-replayed": "true" }),
    },
  });
}

interface IncomingCall {
  request: Request;
  path: string;
  requestId: string;
  knobs: Knobs;
  fault: Fault;
}

async function answerCall(
  { request, path, requestId, knobs, fault }: IncomingCall,
  api: Api,
): Promise<Answer> {
  if (knobs.api === "down") throw new StripeApiError(503, "api_error", "Stripe is currently unavailable.");
  authenticate(request, api.secretKey);
  if (fault === "rate_limit")
    throw new StripeApiError(429, "invalid_request_error", "Request rate limit exceeded.", {
      code: "rate_limit",
    });
  const { endpoint, id } = findEndpoint(request.method, path);
  const encoded = await encodedParams(request);
  const { expand, ...params } = parseForm(encoded);
  const key = request.method === "POST" ? request.headers.get("idempotency-key") : null;

  const named = [id, ...Object.values(params).filter((value) => typeof value === "string")];
  const cause = { id: requestId, idempotency_key: key };
  const answered = inTransaction(api, cause, (tx) => {
    if (!key) return execute(tx);
    const keyed = { key, endpoint: `${request.method} ${path}`, params: sorted(encoded) };
    return onceForKey(tx, keyed, () => execute(tx));
  });
  return answered.catch((error: unknown) => {
    throw asUnsupported(error, request.method, path);
  });

  async function execute(tx: Transaction): Promise<Answer> {
    await enterTimeOf(tx, named, { lock: request.method !== "GET" });
    const call: ApiCall = { tx, params, path, id };
    if (fault === "server_error") throw new StripeApiError(500, "api_error", "An unknown error occurred.");
    const answer = await endpoint(call);
    if (answer instanceof StripeApiError) {
      return { status: answer.status, body: answer.toBody(), replayed: false };
    }
    await expandAnswer(tx, answer, expand);
    return { status: 200, body: JSON.stringify(answer), replayed: false };
  }
}

function authenticate(request: Request, secretKey: string): void {
  const key = /^Bearer (.+)$/.exec(request.headers.get("authorization") ?? "")?.[1];
  if (key === secretKey) return;
  const message = key
    ? `Invalid API Key provided: ${"*".repeat(8)}${key.slice(-4)}`
    : "You did not provide an API key. You need to provide your API key in the Authorization header.";
  throw new StripeApiError(401, "invalid_request_error", message);
}

/** The encoded parameters: the body of a POST, otherwise the query. */
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

/** 501 instead of Stripe's 400 for a parameter the sandbox does not know: Stripe may know it. */
function asUnsupported(error: unknown, method: string, path: string): unknown {
  const isUnknown = error instanceof InvalidParameterError && error.code === "parameter_unknown";
  return isUnknown ? notInSandbox(`${error.param} of ${method} ${path}`) : error;
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
