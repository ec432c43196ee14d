import { BILLING_MESSAGES } from "./plans.ts";

/** How long a callable function may take (spec §9), in milliseconds. */
const TIMEOUT_MILLISECONDS = 70_000;

/**
 * Asks the callable function for a payment page (spec §7).
 *
 * @param origin the site's own, to which the two return addresses belong
 * @returns the page's URL, or the message to show
 */
export async function callCreateCheckoutSession(
  price: string,
  origin: string,
): Promise<{ url: string } | { message: string }> {
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
    return { message: body.error?.message ?? BILLING_MESSAGES.checkoutFailed };
  } catch {
    return { message: BILLING_MESSAGES.checkoutFailed };
  }
}
