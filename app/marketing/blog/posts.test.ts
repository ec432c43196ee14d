import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { amountText } from "../../ui/bank-line.ts";
import { sampleTotals } from "../../ui/sample-lines.ts";

test("the post about a month has the totals of the sample month", () => {
  const file = join(import.meta.dirname, "../../../posts/a-month-in-your-own-words.md");
  const totals = [...readFileSync(file, "utf8").matchAll(/^- \*\*(.+)\*\*: (\$[\d,]+\.\d\d)/gm)];
  expect(totals.map(([, label, amount]) => [label, amount])).toEqual(
    sampleTotals().map(({ label, minorUnits }) => [label, amountText(Math.abs(minorUnits)).slice(1)]),
  );
});
