import { expect, test } from "vitest";
import { summarizeCategories } from "./label-sample.ts";

test("says for each category which lines it would label, also for two of one name", () => {
  expect(
    summarizeCategories([
      { name: "Shop", keywords: "kroger" },
      { name: "Shop", keywords: "costco, kroger #4412" },
      { name: "Nothing", keywords: "" },
    ]),
  ).toEqual([
    { name: "Shop", labels: "would label PAYPAL *KROGER-CO" },
    { name: "Shop", labels: "would label KROGER #4412, COSTCO WHSE #0482" },
    { name: "Nothing", labels: "labels nothing in the sample statement" },
  ]);
});
