import type { Step } from "../../figures/read.server.ts";

/** What the rows of the funnel can be. */
export const VIEWS = [
  { by: "week", label: "By week" },
  { by: "day", label: "By day" },
  { by: "page", label: "By page" },
  { by: "host", label: "By referring host" },
  { by: "code", label: "By promo code" },
  { by: "referral", label: "By referral" },
] as const;

export type By = (typeof VIEWS)[number]["by"];

/** For how many weeks, this one included. */
export const SPANS = [4, 12, 26] as const;

export interface FunnelQuery {
  by: By;
  weeks: (typeof SPANS)[number];
}

/** Reads the query of the funnel's URL. What it does not understand is as if it were absent. */
export function readFunnelQuery(search: URLSearchParams): FunnelQuery {
  const by = VIEWS.find((view) => view.by === search.get("by"))?.by ?? "week";
  const weeks = SPANS.find((span) => String(span) === search.get("weeks")) ?? 12;
  return { by, weeks };
}

export function funnelPath({ by, weeks }: FunnelQuery, path = "/admin/funnel"): string {
  return `${path}?by=${by}&weeks=${weeks}`;
}

export const STEP_NAMES: Record<Step, string> = {
  views: "Views",
  joined: "Joined the waitlist",
  confirmed: "Confirmed it",
  signed_up: "Signed up",
  payment_page: "Payment pages opened",
  paid: "Paid",
  redeemed: "Redeemed a code",
  canceled: "Canceled",
};
