import type { Endpoint } from "./endpoint.ts";
import { ENDPOINTS } from "./endpoints.ts";
import { notInSandbox, StripeApiError } from "./errors.ts";
import { isAtStripe, isFixedAtStripe } from "./stripe-endpoints.ts";

/** The end of `/v1/products/search`; the SDK's list is only asked for what looks like a word. */
const MAY_BE_NO_ID = /^[a-z_]+$/;

interface Found {
  endpoint: Endpoint;
  /** `/v1/customers/:id` */
  pattern: string;
  /** What stands for `:id`; empty without one. */
  id: string;
}

/**
 * The endpoint for a path.
 *
 * @throws 501 for a URL that only Stripe itself knows, and Stripe's 404 for one that nobody does
 */
export function findEndpoint(method: string, path: string): Found {
  const segments = path.split("/");
  for (const [knownMethod, pattern, endpoint] of ENDPOINTS) {
    const known = pattern.split("/");
    const matches =
      knownMethod === method &&
      known.length === segments.length &&
      known.every((segment, at) => (segment === ":id" ? segments[at] !== "" : segment === segments[at]));
    if (!matches) continue;
    const id = segments[known.indexOf(":id")] ?? "";
    if (MAY_BE_NO_ID.test(id) && isFixedAtStripe(method, path)) break;
    return { endpoint, pattern, id };
  }
  if (isAtStripe(method, path)) throw notInSandbox(`${method} ${path}`);
  const message = `Unrecognized request URL (${method}: ${path}). Please see https://stripe.com/docs.`;
  throw new StripeApiError(404, "invalid_request_error", message);
}
