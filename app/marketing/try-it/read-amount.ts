/** Whole and hundredths, thousands set apart by one sign and decimals by another: 1,234.56, 1.234,56, 1 234,56, 1'234.56. */
const NUMBER = /^(\d{1,3}(?:([., '’])\d{3}(?:\2\d{3})*)?|\d*)(?:([.,])(\d{1,2}))?$/;
const CURRENCY = /\p{Sc}|\b(?:EUR|USD|GBP|CHF|CAD|AUD|SEK|NOK|DKK|PLN)\b|\b(?:kr|zł)\.?/giu;
/** More digits than a number holds exactly. */
const LONGEST = 15;
/** No amount takes as much room; most other text is told apart by that alone. */
const LONGEST_CELL = 40;

/**
 * The amount a cell says, in minor units; `null` for anything else. Spending is negative: by a minus on either side,
 * parentheses, or DR. "1,234" is a thousand and more, since no bank writes three decimals.
 */
export function readAmount(cell: string): number | null {
  if (cell.length > LONGEST_CELL) return null;
  const bare = cell.replace(CURRENCY, "").replace(/\s+/g, " ").trim();
  const [, open, sign, number = "", signAfter, close] =
    /^(\(?)\s?([-−–+]?)\s?(.*?)\s?([-−–]|CR|DR)?(\)?)$/i.exec(bare) ?? [];
  if (Boolean(open) !== Boolean(close)) return null;
  const [, whole = "", thousands, decimal, fraction = ""] = NUMBER.exec(number) ?? [];
  if (thousands && thousands === decimal) return null;
  const digits = whole.replace(/\D/g, "") + fraction.padEnd(2, "0");
  if (whole + fraction === "" || digits.length > LONGEST) return null;
  const minorUnits = Number(digits);
  const isSpending = open || /[-−–]/.test(sign ?? "") || /[-−–]|DR/i.test(signAfter ?? "");
  return isSpending && minorUnits > 0 ? -minorUnits : minorUnits;
}
