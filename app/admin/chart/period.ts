/** For how many weeks figures are shown, this one included. */
export const SPANS = [4, 12, 26, 52] as const;

/** What charts show, as their page's URL says. */
export interface Period {
  weeks: (typeof SPANS)[number];
  /** Beside as many weeks before. */
  isCompared: boolean;
}

/** Reads it from the URL's query. What it does not understand is as if it were absent. */
export function readPeriod(search: URLSearchParams): Period {
  const weeks = SPANS.find((span) => String(span) === search.get("weeks")) ?? 12;
  return { weeks, isCompared: search.get("compare") !== "no" };
}

/** The period as a query, without the question mark. */
export function periodQuery({ weeks, isCompared }: Period): string {
  return `weeks=${weeks}${isCompared ? "" : "&compare=no"}`;
}

/** A figure of a day or a week. */
export interface Figure {
  label: string;
  value: number;
}

/** A figure, and the one that has its place in the period before. */
export interface Point extends Figure {
  before?: Figure;
}

/** @param figures of two periods of the same length, the oldest first: the later ones are returned, each beside its earlier one */
export function besideBefore(figures: readonly Figure[]): Point[] {
  const half = Math.floor(figures.length / 2);
  return figures.slice(half).map((figure, index) => {
    const before = figures[index];
    return before ? { ...figure, before } : figure;
  });
}

/** How a figure differs from the one before: "+4 (+11%)", "−3 (−50%)", or "no change". */
export function describeChange(value: number, before: number, format: (value: number) => string): string {
  const change = value - before;
  if (change === 0) return "no change";
  const sign = change > 0 ? "+" : "−";
  const share = before > 0 ? ` (${sign}${Math.round((100 * Math.abs(change)) / before)}%)` : "";
  return `${sign}${format(Math.abs(change))}${share}`;
}
