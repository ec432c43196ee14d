import { OUR_FAULT } from "../ui/what-failed.ts";
import type { App, RequestState } from "./context.server.ts";
import { CODE_BY_STATUS, type ErrorStatus, type Failure, failure } from "./errors.ts";
import { toFailure, UNAVAILABLE } from "./unavailable.server.ts";

/** Spec §7: `{data: …}` in JSON. Failures: 400 for another method, content type, malformed JSON or no `data`. */
export async function readCallable(request: Request): Promise<{ ok: true; data: unknown } | Failure> {
  if (request.method !== "POST") return failure(400, "Call this function with POST");
  const body = await readJson(request);
  if (!body.ok) return body;
  if ("data" in body.json) return { ok: true, data: body.json.data };
  return failure(400, 'Send a JSON body like {"data": {…}}');
}

/** Failures: 400 for another content type, malformed JSON or no object. */
export async function readJson(request: Request): Promise<{ ok: true; json: object } | Failure> {
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/json\s*(;|$)/i.test(type)) return failure(400, "Send the body as application/json");
  try {
    const json: unknown = await request.json();
    if (json && typeof json === "object" && !Array.isArray(json)) return { ok: true, json };
  } catch {
    // Malformed JSON is answered below.
  }
  return failure(400, "Send a JSON object");
}

/** Under both names that callable clients look for. */
export function callableResult(data: unknown): Response {
  return Response.json({ data, result: data }, { headers: { "Cache-Control": "no-store" } });
}

export function callableError({ status, message, headers }: Failure): Response {
  return Response.json(
    { error: { status: protocolStatus(status), message } },
    { status, headers: { "Cache-Control": "no-store", ...headers } },
  );
}

/** "INVALID_ARGUMENT" (google.rpc.Code). With any other spelling a client reports `internal` and drops the message (decision 0025). */
function protocolStatus(status: ErrorStatus): string {
  return CODE_BY_STATUS[status].toUpperCase().replaceAll("-", "_");
}

/** A 405, for which the callable protocol has no code (decision 0025). */
export function wrongMethod(allow: string): Response {
  return Response.json(
    { error: { status: protocolStatus(400), message: `Call this with ${allow}` } },
    { status: 405, headers: { Allow: allow, "Cache-Control": "no-store" } },
  );
}

/** See `callableFault`. */
export async function handleApiErrors(
  { app, state }: { app: App; state: RequestState },
  answer: () => Promise<Response>,
): Promise<Response> {
  try {
    return await answer();
  } catch (error) {
    return callableFault({ app, state }, error, "a call failed", OUR_FAULT);
  }
}

/** Logs an unexpected exception: 503 while the database is away, otherwise 500 with this message. */
export function callableFault(
  fromContext: { app: Pick<App, "log">; state: Pick<RequestState, "id"> },
  error: unknown,
  logged: string,
  message: string,
): Response {
  const fault = toFailure(fromContext, error, logged, message);
  return callableError(fault.status === 503 ? UNAVAILABLE : fault);
}
