/** Selectable numbers of weeks, including the current one. */
export const SPANS = [4, 12, 26, 52] as const;

/** The period of charts, from the page's URL. */
export interface Period {
  weeks: (typeof SPANS)[number];
  /** Whether to compare with as many weeks before. */
  isCompared: boolean;
}

/** Parses the URL's query. Invalid values are ignored. */
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

/** @param figures of two periods of the same length, the oldest first. @returns the later ones, each with its earlier one */
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

export interface BarChartProps {
  title: string;
  /** The meaning of the labels: "Week of". */
  of: string;
  /** Days, or weeks by their first one, as "2026-11-23", the oldest first. Their values are whole. */
  points: readonly Point[];
  /** How long all of them are: "12 weeks". */
  span: string;
  /** How a value is written; as a number without it. */
  format?: (value: number) => string;
}

/** A chart's axes: the same with and without scripts, so that nothing moves. */
export interface Frame {
  /** The space for the axes, in pixels. */
  margin: { top: number; right: number; bottom: number; left: number };
  /** The values with a line, from 0 up to the top of the drawing, at equal distances. */
  ticks: number[];
  /** The bars with a label. */
  labeled: number[];
}

/** The gap beside a bar, as a share of bar and gap. */
export const PADDING = 0.3;

const MOST_TICKS = 4;
/** The width of a letter of the labels, in pixels. */
const LETTER = 7;

/** The frame that all of these points fit in. */
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

/** The least of 1, 2, 5, 10, 20, 50, … that is not less: figures are whole. */
function stepFor(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  return power * ([1, 2, 5].find((factor) => factor * power >= least) ?? 10);
}

/** Amounts without their cents, which are none at a line. */
export function shortened(amount: string): string {
  return amount.replace(/\.00$/, "");
}

/** A day of a year: "11-23" of "2026-11-23". */
export function dayOf(label: string): string {
  return label.slice(5);
}
