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
