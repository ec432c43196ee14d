const MAX_BYTES = 64 * 1024;

/** The body as text; `null` when it is more than 64 KiB, which is not kept in memory. */
export async function readBody(request: Request): Promise<string | null> {
  const decoder = new TextDecoder();
  let bytes = 0;
  let body = "";
  for await (const chunk of request.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) return null;
    body += decoder.decode(chunk, { stream: true });
  }
  return body + decoder.decode();
}

/** The body as JSON, whatever its type claims; `undefined` when it is not JSON or more than 64 KiB. */
export async function readJson(request: Request): Promise<unknown> {
  try {
    return JSON.parse((await readBody(request)) ?? "");
  } catch {
    return undefined;
  }
}
