/**
 * Far more than any form of ours takes, so that a text pasted by mistake comes back with an answer; and than Stripe's
 * events, which carry whole objects.
 */
const LIMIT_BYTES = 1024 * 1024;

/**
 * The same request with its body read into memory, or `null` when the body is larger than that.
 * Reading stops at the limit, whatever Content-Length claims.
 */
export async function limitBody(request: Request): Promise<Request | null> {
  if (!request.body) return request;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body) {
    size += chunk.byteLength;
    if (size > LIMIT_BYTES) return null;
    chunks.push(chunk);
  }
  const { url, method, headers, signal } = request;
  return new Request(url, { method, headers, signal, body: Buffer.concat(chunks) });
}
