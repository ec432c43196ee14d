/** A line of a bank statement. */
export interface BankLine {
  /** What it was for, in the bank's words. */
  text: string;
  /** Spending is negative; `null` where the statement does not say. */
  minorUnits: number | null;
}

/** What stands on a line where a label will be. */
export const YOURS_TO_NAME = "yours to name";

/** An amount as a statement writes it: "+2,140.00", "−23.80". */
export function amountText(minorUnits: number): string {
  const sign = minorUnits > 0 ? "+" : minorUnits < 0 ? "−" : "";
  const digits = String(Math.abs(minorUnits)).padStart(3, "0");
  const whole = digits.slice(0, -2).replace(/\B(?=(\d{3})+$)/g, ",");
  return `${sign}${whole}.${digits.slice(-2)}`;
}
