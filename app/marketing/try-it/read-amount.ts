/** 1,234.56, 1.234,56, 1 234,56, 1'234.56 */
const NUMBER = /^(\d{1,3}(?:([., '’])\d{3}(?:\2\d{3})*)?|\d*)(?:([.,])(\d{1,2}))?$/;
const CURRENCY = /\p{Sc}|\b(?:EUR|USD|GBP|CHF|CAD|AUD|SEK|NOK|DKK|PLN)\b|\b(?:kr|zł)\.?/giu;
/** The most digits that a number represents exactly. */
const MAX_DIGITS = 15;
/** Longer than any amount. */
const CELL_MAX_LENGTH = 40;

/** Minor units; spending, by minus, parentheses or DR, is negative. "1,234": no bank prints three decimals. */
export function readAmount(cell: string): number | null {
  if (cell.length > CELL_MAX_LENGTH) return null;
  const bare = cell.replace(CURRENCY, "").replace(/\s+/g, " ").trim();
  const [, open, sign, number = "", signAfter, close] =
    /^(\(?)\s?([-−–+]?)\s?(.*?)\s?([-−–]|CR|DR)?(\)?)$/i.exec(bare) ?? [];
  if (Boolean(open) !== Boolean(close)) return null;
  const [, whole = "", thousands, decimal, fraction = ""] = NUMBER.exec(number) ?? [];
  if (thousands && thousands === decimal) return null;
  const digits = whole.replace(/\D/g, "") + fraction.padEnd(2, "0");
  if (whole + fraction === "" || digits.length > MAX_DIGITS) return null;
  const minorUnits = Number(digits);
  const isSpending = open || /[-−–]/.test(sign ?? "") || /[-−–]|DR/i.test(signAfter ?? "");
  return isSpending && minorUnits > 0 ? -minorUnits : minorUnits;
}
