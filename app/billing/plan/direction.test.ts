import { expect, test } from "vitest";
import { changeHappens, type RatedPrice } from "./direction.ts";

const [csvMonth, csvYear, bankMonth, bankYear]: RatedPrice[] = [
  { unitAmount: 299, interval: "month" },
  { unitAmount: 2999, interval: "year" },
  { unitAmount: 499, interval: "month" },
  { unitAmount: 4999, interval: "year" },
] as const;

test.each([
  ["more, by the month", csvMonth, bankMonth, "now"],
  ["more, by the year", csvYear, bankYear, "now"],
  ["less, by the month", bankMonth, csvMonth, "at_period_end"],
  ["less, by the year", bankYear, csvYear, "at_period_end"],
  ["from a month to a year", csvMonth, csvYear, "now"],
  ["from a month to a year of less", bankMonth, csvYear, "now"],
  ["from a year to a month", bankYear, bankMonth, "at_period_end"],
  ["from a year to a month of more", csvYear, bankMonth, "at_period_end"],
] as [string, RatedPrice, RatedPrice, string][])("%s: %#", (_, from, to, when) => {
  expect(changeHappens(from, to)).toBe(when);
});
