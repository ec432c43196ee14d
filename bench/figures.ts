/** One measured figure beside its limit: a ratio taken side by side in one run, or an amount that depends on no machine. */
export interface Figure {
  name: string;
  /** What was measured; NaN when it could not be, which is never within a limit. */
  value: number;
  /** Such as "×" of what it is compared with, "ms" or "KB". */
  unit: string;
  /** What it must at least, or may at most be. Without one it is only told. */
  limit?: { least: number } | { most: number };
}

export type State = "reached" | "MISSED" | "measured" | "not measured";

/** Whether a figure keeps to its limit; what could not be measured does not. */
export const isWithin = (figure: Figure) => ["reached", "measured"].includes(stateOf(figure));

export function stateOf({ value, limit }: Figure): State {
  if (Number.isNaN(value)) return "not measured";
  if (!limit) return "measured";
  return ("least" in limit ? value >= limit.least : value <= limit.most) ? "reached" : "MISSED";
}

/** The value and its unit, as people read it. */
export function amountOf({ value, unit }: Figure): string {
  if (Number.isNaN(value)) return "–";
  return `${format(value)}${unit === "×" ? "" : " "}${unit}`.trimEnd();
}

/** The limit, as in the table. */
export function limitOf({ limit }: Figure): string {
  if (!limit) return "";
  return "least" in limit ? `≥ ${format(limit.least)}` : `≤ ${format(limit.most)}`;
}

/** Three digits, and all of what is larger: enough for what is measured, and to calculate with again. */
function format(value: number): string {
  const digits =
    value === 0 || Number.isInteger(value) ? 0 : Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toLocaleString("en-US", {
    minimumFractionDigits: 0,
    maximumFractionDigits: Math.min(digits, 6),
  });
}
