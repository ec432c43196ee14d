import type { BankLine } from "../../ui/bank-line.ts";
import { TRY_IT_LINES } from "../../ui/sample-lines.ts";
import { categorise } from "./categorise.ts";
import { type CategoryInput, readCategory } from "./category-input.ts";
import { countSentence } from "./count-sentence.ts";
import { INITIAL_CATEGORY, PRESET_CATEGORIES } from "./example.ts";

/** The data of the section. */
export interface TryItResult {
  typed: CategoryInput;
  given: CategoryInput[];
  /** The sample lines; `label` is `null` for a line without a category. */
  lines: (BankLine & { label: string | null })[];
  count: string;
  remarks: string[];
  /** Whether it is for a form that was sent. */
  isSubmitted: boolean;
}

/** Whether the form was sent to this page, as it is without a script. */
export function isTryItForm({ pathname, searchParams }: URL): boolean {
  return (pathname === "/" || pathname === "/why-different") && isSubmission(searchParams);
}

function isSubmission(query: URLSearchParams): boolean {
  return query.has("category") || query.has("keywords");
}

/** The result for the submitted form, `?category=…&keywords=…`, or for the initial category without either. */
export function tryItFromQuery(query: URLSearchParams): TryItResult {
  const isSubmitted = isSubmission(query);
  const submitted = { name: query.get("category") ?? "", keywords: query.get("keywords") ?? "" };
  const { category, kept, remarks } = readCategory(isSubmitted ? submitted : INITIAL_CATEGORY);
  const categories = [category, ...PRESET_CATEGORIES.map((given) => readCategory(given).category)];
  const labels = categorise(
    TRY_IT_LINES.map(({ text }) => text),
    categories,
  );
  const labelled = labels.filter((label) => label !== null).length;
  return {
    typed: kept,
    given: PRESET_CATEGORIES,
    lines: TRY_IT_LINES.map(({ text, minorUnits }, index) => ({
      text,
      minorUnits,
      label: labels[index] ?? null,
    })),
    count: countSentence(labelled, labels.length),
    remarks,
    isSubmitted,
  };
}
