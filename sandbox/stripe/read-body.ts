import { readBody as readAtMost } from "../request-body.ts";
import { StripeApiError } from "./api/errors.ts";

/** The body as text; more than 64 KiB throws 413 without being kept in memory. */
export async function readBody(request: Request): Promise<string> {
  const body = await readAtMost(request);
  if (body === null) throw new StripeApiError(413, "invalid_request_error", "Request body is too large.");
  return body;
}
