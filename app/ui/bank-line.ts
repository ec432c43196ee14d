/** A line of a bank statement. */
export interface BankLine {
  /** The bank's description. */
  text: string;
  /** Negative for spending; `null`: not on the statement. */
  minorUnits: number | null;
}

/** The placeholder for a label. */
export const YOURS_TO_NAME = "yours to name";

/** Formats an amount like a statement: "+2,140.00", "−23.80". */
export function amountText(minorUnits: number): string {
  const sign = minorUnits > 0 ? "+" : minorUnits < 0 ? "−" : "";
  const digits = String(Math.abs(minorUnits)).padStart(3, "0");
  const whole = digits.slice(0, -2).replace(/\B(?=(\d{3})+$)/g, ",");
  return `${sign}${whole}.${digits.slice(-2)}`;
}
