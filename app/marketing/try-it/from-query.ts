import { type CategoryInput, readCategory } from "../../categories/category-input.ts";
import { countSentence } from "../../categories/count-sentence.ts";
import { type LabeledLine, labelSample } from "../../categories/label-sample.ts";
import { INITIAL_CATEGORY, PRESET_CATEGORIES } from "./example.ts";

/** The data of the section. */
export interface TryItResult {
  typed: CategoryInput;
  given: CategoryInput[];
  /** The sample lines. */
  lines: LabeledLine[];
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
  const { kept, remarks } = readCategory(isSubmitted ? submitted : INITIAL_CATEGORY);
  const lines = labelSample([kept, ...PRESET_CATEGORIES]);
  const labelled = lines.filter(({ label }) => label !== null).length;
  return {
    typed: kept,
    given: PRESET_CATEGORIES,
    lines,
    count: countSentence(labelled, lines.length),
    remarks,
    isSubmitted,
  };
}
