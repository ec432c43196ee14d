const LIMIT_BYTES = 64 * 1024;
/** Stripe's events carry whole objects; the largest seen in the wild stay well below this. */
const WEBHOOK_LIMIT_BYTES = 1024 * 1024;

/**
 * The same request with its body read into memory, or `null` when the body is larger than its path allows.
 * Reading stops at the limit, whatever Content-Length claims.
 */
export async function limitBody(request: Request): Promise<Request | null> {
  if (!request.body) return request;
  const limit = new URL(request.url).pathname.startsWith("/webhooks/") ? WEBHOOK_LIMIT_BYTES : LIMIT_BYTES;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body) {
    size += chunk.byteLength;
    if (size > limit) return null;
    chunks.push(chunk);
  }
  const { url, method, headers, signal } = request;
  return new Request(url, { method, headers, signal, body: Buffer.concat(chunks) });
}
