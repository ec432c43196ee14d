import type Stripe from "stripe";
import type { Html } from "../../page/html.ts";
import { pageResponse, redirect } from "../../page/responses.ts";
import { StripeApiError } from "../api/errors.ts";
import type { Transaction } from "../transaction.ts";

/** One look of a customer at a page of the portal, or one press of a button on it. */
export interface Visit {
  tx: Transaction;
  session: Stripe.BillingPortal.Session;
  customer: Stripe.Customer;
  /** `/sandbox/stripe/portal/bps_1` */
  base: string;
  /** What `:id` of the address stands for; empty where it has none. */
  id: string;
  /** What was typed, or the query of a page. */
  fields: URLSearchParams;
}

/** What a page says above its title, after what was done or refused. */
export interface Notice {
  kind: "done" | "refused";
  text: string;
}

/** Chromium applies form-action to the redirect after a POST too, so it has to name where that leads. */
export function portalPage({ session }: Visit, content: Html, status = 200): Response {
  const targets = [session.return_url, session.flow?.after_completion.redirect?.return_url];
  const origins = targets.flatMap((url) => (url ? [new URL(url).origin] : []));
  return pageResponse(status, content, [...new Set(["'self'", ...origins])]);
}

/** What the portal says on its first page after something was done. */
export const DONE = {
  card: "Your card was saved. It is your default from now on.",
  default: "Your default card was changed.",
  removed: "The card was removed.",
  details: "Your billing details were saved.",
} as const;

/** Where the customer is led after what they did: a flow ends as the seller wants, everything else on the first page. */
export function afterwards({ session, base }: Visit, done: keyof typeof DONE): Response {
  const { type, redirect: target } = session.flow?.after_completion ?? {};
  if (type === "redirect" && target) return redirect(target.return_url);
  return redirect(`${base}/home?done=${done}`);
}

/** Runs `work` and shows the form again, with what Stripe says, when that is refused. */
export async function orAgain(
  work: () => Promise<Response>,
  again: (notice: Notice, status: number) => Response | Promise<Response>,
): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof StripeApiError)) throw error;
    return again({ kind: "refused", text: error.message }, error.status);
  }
}
