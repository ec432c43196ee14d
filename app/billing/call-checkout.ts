import { codeOf, type ErrorCode } from "../http/errors.ts";
import { clientTokenHeaders } from "../tokens/client-tokens.ts";
import { ACCOUNT_HEADER } from "../ui/account-mark.ts";
import { BILLING_MESSAGES } from "./plans.ts";

/** How long a callable function may take (spec §9), in milliseconds. */
const TIMEOUT_MILLISECONDS = 70_000;

/** Why the call failed: the code of the HTTP status (spec §8) and the message to show. */
export interface CallFailure {
  code: ErrorCode;
  message: string;
}

/** What a call is made with. */
interface Checkout {
  price: string;
  /** The site's own, for the two return URLs. */
  origin: string;
  /** An access token, if there is one at hand. */
  token: string | null;
  /** Of the account whose page it is. */
  accountMark: string | undefined;
}

/**
 * Calls `createCheckoutSession` (spec §7), with the tokens that the page has. The session cookie goes along in any case.
 *
 * @returns the payment page's URL, or a failure: "deadline-exceeded" when it took too long, "cancelled" when the page was
 *   left, "internal" when the network failed or the response was not JSON
 */
export async function callCreateCheckoutSession({
  price,
  origin,
  token,
  accountMark,
}: Checkout): Promise<{ url: string } | CallFailure> {
  try {
    const response = await fetch("/functions/us-central1/createCheckoutSession", {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        ...(token && { Authorization: `Bearer ${token}` }),
        ...(accountMark && { [ACCOUNT_HEADER]: accountMark }),
        ...(await clientTokenHeaders()),
      },
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
  } catch (error) {
    return { code: codeOfThrown(error), message: BILLING_MESSAGES.checkoutFailed };
  }
}

/** The code of a call that got no answer: `fetch` throws a DOMException for its signal, and for the network a TypeError. */
function codeOfThrown(error: unknown): ErrorCode {
  const { name } = error instanceof DOMException ? error : { name: "" };
  if (name === "TimeoutError") return "deadline-exceeded";
  return name === "AbortError" ? "cancelled" : "internal";
}
