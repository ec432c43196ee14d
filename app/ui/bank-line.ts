export interface BankLine {
  text: string;
  /** Negative for spending; `null`: not on the statement. */
  minorUnits: number | null;
}

export const NEEDS_A_NAME = "needs a name";

/** "+$2,140.00", "−$23.80". @param currency "" where it is not known */
export function amountText(minorUnits: number, currency: "$" | "" = "$"): string {
  const sign = minorUnits > 0 ? "+" : minorUnits < 0 ? "−" : "";
  const digits = String(Math.abs(minorUnits)).padStart(3, "0");
  const whole = digits.slice(0, -2).replace(/\B(?=(\d{3})+$)/g, ",");
  return `${sign}${currency}${whole}.${digits.slice(-2)}`;
}
