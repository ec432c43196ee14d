import { expect, test } from "vitest";
import { isForever } from "./expiry.ts";

test.each([
  ["2126-11-05", true],
  // Given some years ago, on a leap day.
  ["2124-02-28", true],
  ["2027-11-05", false],
  ["2076-11-05", false],
])("a plan until %s, seen in November 2026, lasts forever: %s", (day, expected) => {
  expect(isForever(new Date(day), 2026)).toBe(expected);
});
