import { type Period, periodQuery, readPeriod } from "../chart/points.ts";

export const VIEWS = [
  { by: "steps", label: "Step by step" },
  { by: "week", label: "By week" },
  { by: "day", label: "By day" },
  { by: "page", label: "By page" },
  { by: "host", label: "By referring host" },
  { by: "code", label: "By promo code" },
  { by: "referral", label: "By referral" },
] as const;

export const VISITED = "Visited";

/** A step that joining does not need. */
export const TRIED = "Tried it";

export type By = (typeof VIEWS)[number]["by"];

export interface FunnelQuery extends Period {
  by: By;
  /** Of `steps`: everyone, those with a friend's link, or those with a code, by its label in the figures. */
  of: string;
}

export function readFunnelQuery(search: URLSearchParams): FunnelQuery {
  const by = VIEWS.find((view) => view.by === search.get("by"))?.by ?? "steps";
  return { by, of: (search.get("of") ?? "").slice(0, 100), ...readPeriod(search) };
}

export function funnelPath({ by, of, ...period }: FunnelQuery, path = "/admin/funnel"): string {
  return `${path}?by=${by}&${periodQuery(period)}${of && by === "steps" ? `&of=${encodeURIComponent(of)}` : ""}`;
}
