import type { BankLine } from "./bank-line.ts";

/** A bank line and its label. */
export interface SampleLine extends BankLine {
  label: string;
}

/** The sample statement shown across the site. */
export const STATEMENT_LINES: SampleLine[] = [
  { text: "TESCO STORES 4412", minorUnits: -2380, label: "Sunday shop" },
  { text: "HARTLEY DESIGN LTD", minorUnits: 214000, label: "Day job" },
  { text: "SQ *CORNER COFFEE", minorUnits: -340, label: "Too much coffee" },
  { text: "TFL TRAVEL CH", minorUnits: -825, label: "Getting to work" },
  { text: "VINTED PAYOUT", minorUnits: 1850, label: "Wardrobe money" },
  { text: "NETFLIX.COM", minorUnits: -1099, label: "Sofa evenings" },
];
