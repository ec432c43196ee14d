import { codeOf, type ErrorCode } from "../http/errors.ts";
import { BILLING_MESSAGES } from "./plans.ts";

/** How long a callable function may take (spec §9), in milliseconds. */
const TIMEOUT_MILLISECONDS = 70_000;

/** Why the call failed: the code of the HTTP status (spec §8) and the message to show. */
export interface CallFailure {
  code: ErrorCode;
  message: string;
}

/**
 * Calls `createCheckoutSession` (spec §7).
 *
 * @param origin the site's own, for the two return URLs
 * @returns the payment page's URL, or a failure; "internal" when the network failed or the response was not JSON
 */
export async function callCreateCheckoutSession(
  price: string,
  origin: string,
): Promise<{ url: string } | CallFailure> {
  try {
    const response = await fetch("/functions/us-central1/createCheckoutSession", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({
        data: { price, success_url: `${origin}/dashboard`, cancel_url: `${origin}/subscription` },
      }),
      signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS),
    });
    const body: { data?: { url: string }; error?: { message: string } } = await response.json();
    if (body.data) return { url: body.data.url };
    return {
      code: codeOf(response.status),
      message: body.error?.message ?? BILLING_MESSAGES.checkoutFailed,
    };
  } catch {
    return { code: "internal", message: BILLING_MESSAGES.checkoutFailed };
  }
}
