/** One measured figure beside its limit: a ratio taken side by side in one run, or an amount that depends on no machine. */
export interface Figure {
  name: string;
  value: number;
  /** Such as "×" of what it is compared with, "ms" or "KB". */
  unit: string;
  /** What it must at least, or may at most be. */
  limit: { least: number } | { most: number };
}

/** Prints each figure beside its limit. @returns whether all are within */
export function report(figures: readonly Figure[]): boolean {
  for (const figure of figures) {
    const { name, value, unit, limit } = figure;
    const bound = "least" in limit ? `at least ${limit.least}` : `at most ${limit.most}`;
    console.log(
      `${isWithin(figure) ? "reached" : "MISSED "}  ${name.padEnd(64)} ${format(value).padStart(9)} ${unit.padEnd(5)} ${bound}`,
    );
  }
  return figures.every(isWithin);
}

/** Whether a figure keeps to its limit; what could not be measured does not. */
function isWithin({ value, limit }: Figure): boolean {
  return "least" in limit ? value >= limit.least : value <= limit.most;
}

const format = (value: number) => (Math.abs(value) < 10 ? value.toFixed(2) : String(Math.round(value)));
