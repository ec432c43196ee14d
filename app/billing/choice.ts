import type { BillingInterval } from "./plans.ts";

/** What somebody had chosen before they had an account. */
export interface Choice {
  /** A product's id. */
  plan: string | null;
  billing: BillingInterval | null;
  promo: string | null;
}

/** The words of the toggle's query, which are not Stripe's. */
const WORD = { year: "annual", month: "monthly" } as const;

/** `null`: it does not say. */
function billingIn(query: URLSearchParams): BillingInterval | null {
  const word = query.get("billing");
  if (word === WORD.year) return "year";
  return word === WORD.month ? "month" : null;
}

/** Longer than any code; what is beyond it was not meant as one. */
const LONGEST_PROMO = 100;

/** What the query of a path such as `/subscription?plan=…&billing=annual&promo=…` has chosen. */
export function choiceIn(path: string): Choice {
  const query = new URLSearchParams(path.slice(path.indexOf("?") + 1 || path.length));
  const promo = query.get("promo")?.trim().slice(0, LONGEST_PROMO);
  return { plan: query.get("plan"), billing: billingIn(query), promo: promo || null };
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
