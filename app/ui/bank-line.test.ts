import { expect, test } from "vitest";
import { amountText } from "./bank-line.ts";

test.each([
  [-2380, "−$23.80"],
  [214000, "+$2,140.00"],
  [5, "+$0.05"],
  [-40, "−$0.40"],
  [0, "$0.00"],
  [123456789012, "+$1,234,567,890.12"],
])("%d minor units are %s", (minorUnits, expected) => expect(amountText(minorUnits)).toBe(expected));
