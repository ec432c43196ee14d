import type { BankLine } from "../ui/bank-line.ts";
import { TRY_IT_LINES } from "../ui/sample-lines.ts";
import { categorize } from "./categorize.ts";
import { type CategoryInput, readCategory } from "./category-input.ts";

/** `label`: `null` without a category. */
export interface LabeledLine extends BankLine {
  label: string | null;
}

export function labelSample(typed: readonly CategoryInput[]): LabeledLine[] {
  const labels = categorize(
    TRY_IT_LINES.map(({ text }) => text),
    typed.map((each) => readCategory(each).category),
  );
  return TRY_IT_LINES.map(({ text, minorUnits }, index) => ({
    text,
    minorUnits,
    label: labels[index] ?? null,
  }));
}

export function summarizeCategories(typed: readonly CategoryInput[]): { name: string; labels: string }[] {
  const lines = labelSample(typed.map((each, index) => ({ ...each, name: String(index) })));
  return typed.map(({ name }, index) => {
    const own = lines.filter(({ label }) => label === String(index)).map(({ text }) => text);
    return {
      name,
      labels: own.length > 0 ? `would label ${own.join(", ")}` : "labels nothing in the sample statement",
    };
  });
}
