import { foldCode } from "../ui/typed-text.ts";
import type { BillingInterval } from "./plans.ts";

export interface Choice {
  plan: string | null;
  billing: BillingInterval | null;
  promo: string | null;
}

const BILLING_PARAM = { year: "annual", month: "monthly" } as const;

function billingIn(query: URLSearchParams): BillingInterval | null {
  const param = query.get("billing");
  if (param === BILLING_PARAM.year) return "year";
  return param === BILLING_PARAM.month ? "month" : null;
}

const PROMO_MAX_LENGTH = 100;

/** From a path such as `/subscription?plan=…&billing=annual&promo=…`. */
export function choiceIn(path: string): Choice {
  const query = new URLSearchParams(path.slice(path.indexOf("?") + 1 || path.length));
  const promo = foldCode(query.get("promo")?.slice(0, PROMO_MAX_LENGTH) ?? "");
  return { plan: query.get("plan"), billing: billingIn(query), promo: promo || null };
}

export function choiceQuery({ plan, billing, promo }: Partial<Choice>): URLSearchParams {
  const query = new URLSearchParams();
  if (plan) query.set("plan", plan);
  if (billing) query.set("billing", BILLING_PARAM[billing]);
  if (promo) query.set("promo", promo);
  return query;
}

export function subscriptionPath(choice: Partial<Choice>): string {
  const query = choiceQuery(choice);
  return query.size > 0 ? `/subscription?${query}` : "/subscription";
}

export function signUpLink(hostedAppUrl: string | null, choice: Partial<Choice>): string {
  const query = choiceQuery(choice);
  if (hostedAppUrl) return `${hostedAppUrl}/register${query.size > 0 ? `?${query}` : ""}`;
  if (query.size === 0) return "/register";
  // With a plan and a period, nothing is left to choose before paying.
  const pay = choice.plan && choice.billing && !choice.promo ? "&pay=1" : "";
  return `/register?${new URLSearchParams({ return_to: `${subscriptionPath(choice)}${pay}` })}`;
}
