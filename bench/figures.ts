/** A measured figure and its limit: a ratio taken in one run, or an amount that depends on no machine. */
export interface Figure {
  name: string;
  /** NaN when it could not be measured, which misses every limit. */
  value: number;
  /** Such as "×", "ms" or "KB". */
  unit: string;
  /** A minimum or a maximum. Without one the figure is only printed. */
  limit?: { least: number } | { most: number };
}

export type State = "reached" | "MISSED" | "measured" | "not measured";

/** Whether a figure is within its limit. */
export const isWithin = (figure: Figure) => ["reached", "measured"].includes(stateOf(figure));

export function stateOf({ value, limit }: Figure): State {
  if (Number.isNaN(value)) return "not measured";
  if (!limit) return "measured";
  return ("least" in limit ? value >= limit.least : value <= limit.most) ? "reached" : "MISSED";
}

/** The value and its unit. */
export function amountOf({ value, unit }: Figure): string {
  if (Number.isNaN(value)) return "–";
  return `${format(value)}${unit === "×" ? "" : " "}${unit}`.trimEnd();
}

/** The limit, as in the table. */
export function limitOf({ limit }: Figure): string {
  if (!limit) return "";
  return "least" in limit ? `≥ ${format(limit.least)}` : `≤ ${format(limit.most)}`;
}

/** Three significant digits, or all digits of a larger number. */
function format(value: number): string {
  const digits =
    value === 0 || Number.isInteger(value) ? 0 : Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toLocaleString("en-US", {
    minimumFractionDigits: 0,
    maximumFractionDigits: Math.min(digits, 6),
  });
}
