export const SPANS = [4, 12, 26, 52] as const;

export interface Period {
  weeks: (typeof SPANS)[number];
  isCompared: boolean;
}

export function readPeriod(search: URLSearchParams): Period {
  const weeks = SPANS.find((span) => String(span) === search.get("weeks")) ?? 12;
  return { weeks, isCompared: search.get("compare") !== "no" };
}

export function periodQuery({ weeks, isCompared }: Period): string {
  return `weeks=${weeks}${isCompared ? "" : "&compare=no"}`;
}

export interface Figure {
  label: string;
  value: number;
}

/** A figure with the one at the same place in the period before. */
export interface Point extends Figure {
  before?: Figure;
}

/** @param figures of two periods of the same length, oldest first. @returns the later ones, each with its earlier one */
export function besideBefore(figures: readonly Figure[]): Point[] {
  const half = Math.floor(figures.length / 2);
  return figures.slice(half).map((figure, index) => {
    const before = figures[index];
    return before ? { ...figure, before } : figure;
  });
}

export const sumOf = (points: readonly { value: number }[]) =>
  points.reduce((sum, { value }) => sum + value, 0);

/** The sum of the period before; `undefined` where it is not compared. */
export function beforeOf(points: readonly Point[]): number | undefined {
  if (!points.some(({ before }) => before)) return undefined;
  return points.reduce((sum, { before }) => sum + (before?.value ?? 0), 0);
}

/** "11%" of what was before; never 100% of a loss that left something. `null`: there was nothing to lose or gain a share of. */
export function changeInPercent(value: number, before: number): string | null {
  if (before <= 0) return null;
  const percent = (100 * Math.abs(value - before)) / before;
  const isAlmostAll = value > 0 && value < before && Math.round(percent) === 100;
  return `${isAlmostAll ? Math.floor(10 * percent) / 10 : Math.round(percent).toLocaleString("en-US")}%`;
}

/** How a figure differs from the one before: "+4 (+11%)", "−3 (−50%)", or "no change". */
export function describeChange(value: number, before: number, format: (value: number) => string): string {
  const change = value - before;
  if (change === 0) return "no change";
  const sign = change > 0 ? "+" : "−";
  const percent = changeInPercent(value, before);
  return `${sign}${format(Math.abs(change))}${percent ? ` (${sign}${percent})` : ""}`;
}

export interface BarChartProps {
  title: string;
  of: string;
  /** What is counted, above its column. */
  figure?: string;
  /** Days, or the first days of weeks, as "2026-11-23", oldest first. */
  points: readonly Point[];
  span: string;
  format?: (value: number) => string;
}

/** A chart's axes, the same with and without scripts, so that nothing moves. */
export interface Frame {
  /** In pixels. */
  margin: { top: number; right: number; bottom: number; left: number };
  ticks: number[];
  labeled: number[];
}

export const PADDING = 0.3;

const MOST_TICKS = 4;
/** In pixels. */
const LETTER = 7;

export function frameOf(points: readonly Point[], formatTick: (value: number) => string): Frame {
  const most = Math.max(1, ...points.flatMap(({ value, before }) => [value, before?.value ?? 0]));
  const step = stepFor(most / MOST_TICKS);
  const ticks = Array.from({ length: Math.ceil(most / step) + 1 }, (_, index) => index * step);
  const longest = Math.max(...ticks.map((tick) => formatTick(tick).length));
  const last = points.length - 1;
  const stride = Math.ceil(points.length / MOST_TICKS);
  return {
    margin: { top: 8, right: 20, bottom: 22, left: LETTER * longest + 10 },
    ticks,
    labeled: points.map((_, index) => index).filter((index) => (last - index) % stride === 0),
  };
}

/** The least of 1, 2, 5, 10, 20, 50, … that is not less. */
function stepFor(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  return power * ([1, 2, 5].find((factor) => factor * power >= least) ?? 10);
}

/** Without cents, which are zero at a line. */
export function shortened(amount: string): string {
  return amount.replace(/\.00$/, "");
}

/** "11-23" of "2026-11-23". The last is not over. */
export function tickOf(points: readonly Point[], label: string): string {
  return label === points.at(-1)?.label ? "so far" : label.slice(5);
}
