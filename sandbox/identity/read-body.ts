const maxBytes = 64 * 1024;

/** The body as text; `null` when it is more than 64 KiB, which is not kept in memory. */
export async function readBody(request: Request): Promise<string | null> {
  const decoder = new TextDecoder();
  let bytes = 0;
  let body = "";
  for await (const chunk of request.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) return null;
    body += decoder.decode(chunk, { stream: true });
  }
  return body + decoder.decode();
}

/** The fields of a form; none when what came is none, or is too much. */
export async function readForm(request: Request): Promise<URLSearchParams> {
  const type = request.headers.get("content-type") ?? "";
  const isForm = /^application\/x-www-form-urlencoded\s*(;|$)/i.test(type);
  return new URLSearchParams(isForm ? ((await readBody(request)) ?? "") : "");
}

/** Whether a name is there twice (RFC 6749 §3.1), or PostgreSQL could not keep what is there. */
export function isAmbiguous(params: URLSearchParams): boolean {
  return (
    new Set(params.keys()).size !== params.size || [...params.values()].some((value) => value.includes("\0"))
  );
}
