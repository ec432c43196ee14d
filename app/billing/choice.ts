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

/** The query that carries a choice on, as `choiceIn` reads it. */
function choiceQuery({ plan, billing, promo }: Partial<Choice>): URLSearchParams {
  const query = new URLSearchParams();
  if (plan) query.set("plan", plan);
  if (billing) query.set("billing", WORD[billing]);
  if (promo) query.set("promo", promo);
  return query;
}

/** The plan page with this chosen. */
export function subscriptionPath(choice: Partial<Choice>): string {
  const query = choiceQuery(choice);
  return query.size > 0 ? `/subscription?${query}` : "/subscription";
}

/**
 * Where signing up starts so that the choice is still there after it: here by way of `return_to`, at the hosted app
 * as its own query.
 */
export function signUpLink(hostedAppUrl: string | null, choice: Partial<Choice>): string {
  const query = choiceQuery(choice);
  if (hostedAppUrl) return `${hostedAppUrl}/register${query.size > 0 ? `?${query}` : ""}`;
  if (query.size === 0) return "/register";
  return `/register?${new URLSearchParams({ return_to: subscriptionPath(choice) })}`;
}
