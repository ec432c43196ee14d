/** An answer for programs, which nobody on the way keeps (RFC 6749 §5.1). */
export function json(status: number, body: object, headers: Record<string, string> = {}): Response {
  return Response.json(body, {
    status,
    headers: { "cache-control": "no-store", "x-content-type-options": "nosniff", ...headers },
  });
}
