import type { BankLine } from "./bank-line.ts";

interface SampleLine extends BankLine {
  minorUnits: number;
  label: string;
  /** Of November; one named twice has two lines. */
  days: number[];
}

const RIDES = [2, 3, 4, 9, 10, 11, 16, 17, 18, 23, 24];

/** Every sample line, total and chart of the site is from it. */
export const SAMPLE_MONTH: SampleLine[] = [
  { text: "KROGER #4412", minorUnits: -2380, label: "Sunday shop", days: [8] },
  { text: "HARTLEY DESIGN PAYROLL", minorUnits: 214000, label: "Day job", days: [13, 27] },
  {
    text: "SQ *CORNER COFFEE",
    minorUnits: -410,
    label: "Too much coffee",
    days: [2, 4, 6, 9, 12, 16, 18, 21],
  },
  { text: "MTA*NYCT PAYGO", minorUnits: -290, label: "Getting to work", days: [...RIDES, ...RIDES] },
  { text: "POSHMARK PAYOUT", minorUnits: 1850, label: "Closet money", days: [11] },
  { text: "NETFLIX.COM", minorUnits: -1549, label: "Sofa evenings", days: [5] },
  // An accent, two spellings of a store, one store for two labels, and cash, which only its owner can name: "BARTON" shows that the
  // keyword "bar" does not match part of a word.
  { text: "COSTCO WHSE #0482", minorUnits: -14115, label: "Sunday shop", days: [15] },
  { text: "PAYPAL *KROGER-CO", minorUnits: -4115, label: "Sunday shop", days: [20] },
  { text: "CAFÉ ODÉON", minorUnits: -680, label: "Too much coffee", days: [14] },
  { text: "AMAZON MKTPLACE 88", minorUnits: -1249, label: "Parcels", days: [17] },
  { text: "AMAZON PRIME", minorUnits: -1499, label: "Sofa evenings", days: [19] },
  { text: "BARTON ST ATM CASH", minorUnits: -6000, label: "Pocket money", days: [7] },
  { text: "MAPLE COURT RENT", minorUnits: -145000, label: "The roof", days: [1] },
  { text: "COSTCO WHSE #0482", minorUnits: -16390, label: "Sunday shop", days: [1] },
  { text: "KROGER #4412", minorUnits: -8820, label: "Sunday shop", days: [22] },
  { text: "COSTCO WHSE #0482", minorUnits: -15420, label: "Sunday shop", days: [29] },
  { text: "COSTCO GAS #0482", minorUnits: -3860, label: "Getting to work", days: [8, 22] },
  { text: "COSTCO TIRE #0482", minorUnits: -41200, label: "Keeping the car", days: [18] },
  { text: "BLUE KETTLE 22", minorUnits: -400, label: "Too much coffee", days: [20] },
  { text: "POSHMARK PAYOUT", minorUnits: 4300, label: "Closet money", days: [25] },
];

export const STATEMENT_LINES = SAMPLE_MONTH.slice(0, 6);

export const TRY_IT_LINES = SAMPLE_MONTH.slice(0, 12);

export function sampleTotals(): Total[] {
  return totalsOf(
    SAMPLE_MONTH.map(({ label, minorUnits, days }) => ({ label, minorUnits: minorUnits * days.length })),
  );
}

export interface Total {
  label: string;
  /** Negative for spending. */
  minorUnits: number;
}

/** The largest first: income, then spending. */
export function totalsOf(lines: readonly Total[]): Total[] {
  const totals = new Map<string, number>();
  for (const { label, minorUnits } of lines) totals.set(label, (totals.get(label) ?? 0) + minorUnits);
  return [...totals]
    .map(([label, minorUnits]) => ({ label, minorUnits }))
    .sort(
      (a, b) =>
        Number(b.minorUnits > 0) - Number(a.minorUnits > 0) ||
        Math.abs(b.minorUnits) - Math.abs(a.minorUnits),
    );
}

/** In minor units without a sign. */
export function sampleTotal(label: string): number {
  return Math.abs(sampleTotals().find((each) => each.label === label)?.minorUnits ?? 0);
}
