import type { BankLine } from "../../ui/bank-line.ts";
import { categorise } from "./categorise.ts";
import { type CategoryInput, readCategory } from "./category-input.ts";
import { countSentence } from "./count-sentence.ts";
import { FIRST_CATEGORY, GIVEN_CATEGORIES, SAMPLE_LINES } from "./example.ts";

/** What the section shows. */
export interface Tried {
  typed: CategoryInput;
  given: CategoryInput[];
  /** The sample lines; the label is `null` where the line is yours to name. */
  lines: (BankLine & { label: string | null })[];
  count: string;
  remarks: string[];
}

/** The section as the form asked for it, `?category=…&keywords=…`; without either, an example. */
export function tryItFromQuery(query: URLSearchParams): Tried {
  const isAsked = query.has("category") || query.has("keywords");
  const asked = { name: query.get("category") ?? "", keywords: query.get("keywords") ?? "" };
  const { category, kept, remarks } = readCategory(isAsked ? asked : FIRST_CATEGORY);
  const categories = [category, ...GIVEN_CATEGORIES.map((given) => readCategory(given).category)];
  const labels = categorise(
    SAMPLE_LINES.map(({ text }) => text),
    categories,
  );
  const labelled = labels.filter((label) => label !== null).length;
  return {
    typed: kept,
    given: GIVEN_CATEGORIES,
    lines: SAMPLE_LINES.map((line, index) => ({ ...line, label: labels[index] ?? null })),
    count: countSentence(labelled, labels.length),
    remarks,
  };
}
