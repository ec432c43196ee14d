import type { BankLine } from "./bank-line.ts";

/** A bank line and its label. */
export interface SampleLine extends BankLine {
  label: string;
}

/** The sample statement shown across the site. */
export const STATEMENT_LINES: SampleLine[] = [
  { text: "KROGER #4412", minorUnits: -2380, label: "Sunday shop" },
  { text: "HARTLEY DESIGN PAYROLL", minorUnits: 214000, label: "Day job" },
  { text: "SQ *CORNER COFFEE", minorUnits: -410, label: "Too much coffee" },
  { text: "MTA*NYCT PAYGO", minorUnits: -290, label: "Getting to work" },
  { text: "POSHMARK PAYOUT", minorUnits: 1850, label: "Closet money" },
  { text: "NETFLIX.COM", minorUnits: -1549, label: "Sofa evenings" },
];
