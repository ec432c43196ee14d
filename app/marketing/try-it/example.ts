import type { BankLine } from "../../ui/bank-line.ts";
import { STATEMENT_LINES } from "../../ui/sample-lines.ts";
import type { CategoryInput } from "./category-input.ts";

/**
 * The statement to try it on: the same shop spelt in two ways, an accent, a shop whose two kinds of line want two
 * labels, and cash, which nobody can name but its owner (and whose bank is no bar).
 */
export const SAMPLE_LINES: BankLine[] = [
  ...STATEMENT_LINES,
  { text: "ALDI 84 LEEDS", minorUnits: -1742 },
  { text: "PAYPAL *TESCO-STORES", minorUnits: -4115 },
  { text: "CAFÉ ODÉON", minorUnits: -680 },
  { text: "AMAZON MKTPLACE 88", minorUnits: -1249 },
  { text: "AMAZON PRIME", minorUnits: -899 },
  { text: "BARCLAYS CASH LS1", minorUnits: -5000 },
];

/** What the form starts with. */
export const FIRST_CATEGORY: CategoryInput = { name: "Sunday shop", keywords: "tesco, aldi" };

/** What is there beside the visitor's own. */
export const GIVEN_CATEGORIES: CategoryInput[] = [
  { name: "Parcels", keywords: "amazon" },
  { name: "Sofa evenings", keywords: "netflix, amazon prime" },
];
