import type Stripe from "stripe";
import type { Html } from "../../page/html.ts";
import { pageResponse } from "../../page/responses.ts";
import { StripeApiError } from "../api/errors.ts";
import { findObject } from "../store.ts";
import type { Transaction } from "../transaction.ts";

/** One look of a customer at a page of the portal, or one press of a button on it. */
export interface Visit {
  tx: Transaction;
  session: Stripe.BillingPortal.Session;
  features: Stripe.BillingPortal.Configuration.Features;
  customer: Stripe.Customer;
  /** `/sandbox/stripe/portal/bps_1` */
  base: string;
  /** What `:id` of the address stands for; empty where it has none. */
  id: string;
  /** What was typed, or the query of a page. */
  fields: URLSearchParams;
}

export type Answer = (visit: Visit) => Promise<Response>;

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

export function redirect(url: string): Response {
  return new Response(null, { status: 303, headers: { location: url, "cache-control": "no-store" } });
}

/** What the portal says on its first page after something was done. */
export const DONE = {
  card: "Your card was saved. It is your default from now on.",
  default: "Your default card was changed.",
  removed: "The card was removed.",
  details: "Your billing details were saved.",
  canceled: "Your plan was canceled.",
  kept: "Your plan goes on.",
  changed: "Your plan was changed.",
  scheduled: "Your plan will change at the end of the period.",
} as const;

/** Where the customer is led after what they did: a flow ends as the seller wants, everything else on the first page. */
export function afterwards({ session, base }: Visit, done: keyof typeof DONE): Response {
  const { type, redirect: target } = session.flow?.after_completion ?? {};
  if (type === "redirect" && target) return redirect(new URL(target.return_url).href);
  if (type === "hosted_confirmation") return redirect(`${base}/confirmed?done=${done}`);
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

/** The customer's own subscription, of which there is something left to decide; `null`: it does not exist for them. */
export async function ownSubscription({ tx, id, customer }: Visit): Promise<Stripe.Subscription | null> {
  const subscription = await findObject(tx, "subscription", id);
  if (subscription?.customer !== customer.id || isOver(subscription)) return null;
  return subscription;
}

export function isOver({ status }: Stripe.Subscription): boolean {
  return status === "canceled" || status === "incomplete_expired";
}

/** The customer's own card; `null`: it does not exist for them. */
export async function ownCard({ tx, id, customer }: Visit): Promise<Stripe.PaymentMethod | null> {
  const card = await findObject(tx, "payment_method", id);
  return card?.customer === customer.id ? card : null;
}
