import { type CategoryInput, readCategory } from "../../categories/category-input.ts";
import { countSentence } from "../../categories/count-sentence.ts";
import { labelSample } from "../../categories/label-sample.ts";

const INITIAL_CATEGORY: CategoryInput = { name: "Sunday shop", keywords: "kroger, costco" };

const PRESET_CATEGORIES: CategoryInput[] = [
  { name: "Parcels", keywords: "amazon" },
  { name: "Sofa evenings", keywords: "netflix, amazon prime" },
];

export type TryItResult = ReturnType<typeof tryItFromQuery>;

/** Without a script the form is sent to this page. */
export function isTryItForm({ pathname, searchParams }: URL): boolean {
  return (pathname === "/" || pathname === "/why-different") && isSubmission(searchParams);
}

function isSubmission(query: URLSearchParams): boolean {
  return query.has("category") || query.has("keywords");
}

/** For `?category=…&keywords=…`, or for the initial category. */
export function tryItFromQuery(query: URLSearchParams) {
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
