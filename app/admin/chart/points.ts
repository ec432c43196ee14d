/** For how many weeks figures are shown, this one included. */
export const SPANS = [4, 12, 26, 52] as const;

/** What charts show, as their page's URL says. */
export interface Period {
  weeks: (typeof SPANS)[number];
  /** Beside as many weeks before. */
  isCompared: boolean;
}

/** Reads it from the URL's query. Unknown values count as absent. */
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

/** A figure, and the one at its place in the period before. */
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

const MAX_TICKS = 4;

/** The values with a line across the chart: equally spaced, from 0 to one that no bar exceeds. */
export function ticksOf(points: readonly Point[]): number[] {
  const max = Math.max(1, ...points.flatMap(({ value, before }) => [value, before?.value ?? 0]));
  const step = stepFor(max / MAX_TICKS);
  return Array.from({ length: Math.ceil(max / step) + 1 }, (_, index) => index * step);
}

/** The least of 1, 2, 5, 10, 20, 50, … that is not less: figures are whole. */
function stepFor(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  return power * ([1, 2, 5].find((factor) => factor * power >= least) ?? 10);
}
