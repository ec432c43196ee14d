import { type BillingInterval, isBillingInterval } from "../billing/plans.ts";

/** What somebody had chosen before they had an account. */
export interface Choice {
  /** A product's id. */
  plan: string | null;
  billing: BillingInterval | null;
  promo: string | null;
}

/** The words of the toggle's query, which are not Stripe's. */
const WORD = { year: "annual", month: "monthly" } as const;

/** The period a query asks for: `?billing=annual` or `monthly`, or Stripe's own words. `null`: it does not say. */
export function billingIn(query: URLSearchParams): BillingInterval | null {
  const word = query.get("billing");
  if (word === WORD.year) return "year";
  if (word === WORD.month) return "month";
  return isBillingInterval(word) ? word : null;
}

/** What a query such as the one of /subscription has chosen. */
export function choiceIn(query: URLSearchParams): Choice {
  return { plan: query.get("plan"), billing: billingIn(query), promo: query.get("promo") };
}

/**
 * Where signing up starts so that the choice is still there after it: here by way of `return_to`, at the hosted app
 * as its own query.
 */
export function signUpLink(hostedAppUrl: string | null, { plan, billing, promo }: Partial<Choice>): string {
  const choice = new URLSearchParams();
  if (plan) choice.set("plan", plan);
  if (billing) choice.set("billing", WORD[billing]);
  if (promo) choice.set("promo", promo);
  if (hostedAppUrl) return `${hostedAppUrl}/register${choice.size > 0 ? `?${choice}` : ""}`;
  if (choice.size === 0) return "/register";
  return `/register?${new URLSearchParams({ return_to: `/subscription?${choice}` })}`;
}
