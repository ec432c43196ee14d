import { CODE_BY_STATUS, type Failure, failure } from "./errors.ts";

/**
 * The `data` of a callable request, whose body is `{data: …}` in JSON (spec §7).
 *
 * Failures: 400 for another method, another content type, malformed JSON or a body without `data`.
 */
export async function readCallable(request: Request): Promise<{ ok: true; data: unknown } | Failure> {
  if (request.method !== "POST") return failure(400, "Call this function with POST");
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/json\s*(;|$)/i.test(type)) return failure(400, "Send the body as application/json");
  try {
    const body: unknown = await request.json();
    if (body && typeof body === "object" && "data" in body) return { ok: true, data: body.data };
  } catch {
    // Not JSON: the same answer as JSON without `data`.
  }
  return failure(400, 'Send a JSON body like {"data": {…}}');
}

/** The answer under both names callable clients look for. */
export function callableResult(data: unknown): Response {
  return Response.json({ data, result: data }, { headers: { "Cache-Control": "no-store" } });
}

/** A failure as callable clients read it: the spec's code in the body, its status on the line. */
export function callableError({ status, message, headers }: Failure): Response {
  return Response.json(
    { error: { status: CODE_BY_STATUS[status], message } },
    { status, headers: { "Cache-Control": "no-store", ...headers } },
  );
}
