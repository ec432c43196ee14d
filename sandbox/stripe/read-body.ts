import { StripeApiError } from "./errors.ts";

const maxBytes = 64 * 1024;

/** The body as text; more than 64 KiB throws 413 without being kept in memory. */
export async function readBody(request: Request): Promise<string> {
  const decoder = new TextDecoder();
  let bytes = 0;
  let body = "";
  for await (const chunk of request.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes)
      throw new StripeApiError(413, "invalid_request_error", "Request body is too large.");
    body += decoder.decode(chunk, { stream: true });
  }
  return body + decoder.decode();
}
