import type { Point } from "./period.ts";

export interface BarChartProps {
  /** What is counted. */
  title: string;
  /** What the labels are: "Week of". */
  of: string;
  /** Days, or weeks by their first one, as "2026-11-23", the oldest first. Their values are whole. */
  points: readonly Point[];
  /** How long all of them are: "12 weeks". */
  span: string;
  /** How a value is written; as a number without it. */
  format?: (value: number) => string;
}

/** Where a chart's axes are and what they say: the same before scripts and with them, so that nothing moves. */
export interface Frame {
  /** What the axes take of the drawing, in pixels. */
  margin: { top: number; right: number; bottom: number; left: number };
  /** The values with a line, from 0 up to the top of the drawing, at equal distances. */
  ticks: number[];
  /** The bars with a label. */
  labeled: number[];
}

/** The space beside a bar, as a share of what a bar has with its space. */
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
