import type { BankLine } from "../../ui/bank-line.ts";
import { STATEMENT_LINES } from "../../ui/sample-lines.ts";
import type { CategoryInput } from "./category-input.ts";

/**
 * The sample statement: one shop spelt in two ways, an accent, a shop whose lines need two labels, and cash, which only
 * its owner can name. "BARTON" shows that the keyword "bar" does not match part of a word.
 */
export const SAMPLE_LINES: BankLine[] = [
  ...STATEMENT_LINES,
  { text: "COSTCO WHSE #0482", minorUnits: -14115 },
  { text: "PAYPAL *KROGER-CO", minorUnits: -4115 },
  { text: "CAFÉ ODÉON", minorUnits: -680 },
  { text: "AMAZON MKTPLACE 88", minorUnits: -1249 },
  { text: "AMAZON PRIME", minorUnits: -1499 },
  { text: "BARTON ST ATM CASH", minorUnits: -6000 },
];

/** The initial values of the form. */
export const INITIAL_CATEGORY: CategoryInput = { name: "Sunday shop", keywords: "kroger, costco" };

/** Categories shown in addition to the visitor's own. */
export const PRESET_CATEGORIES: CategoryInput[] = [
  { name: "Parcels", keywords: "amazon" },
  { name: "Sofa evenings", keywords: "netflix, amazon prime" },
];
