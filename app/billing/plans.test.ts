import { expect, test } from "vitest";
import {
  type BillingInterval,
  decimalAmount,
  describePrice,
  formatMoney,
  monthlyAmount,
  type Plan,
  periodsOf,
  savingLabel,
} from "./plans.ts";

/** A plan at so many cents a month and a year; 0 when it is not sold so. */
function plan(month: number, year: number): Plan {
  const amounts: [BillingInterval, number][] = [
    ["month", month],
    ["year", year],
  ];
  const prices = amounts.flatMap(([interval, unitAmount]) =>
    unitAmount > 0 ? [{ id: `${interval}_${unitAmount}`, unitAmount, currency: "usd", interval }] : [],
  );
  return { id: "prod", name: "Plan", description: null, tier: "basic", prices };
}

test.each([
  ["the spec's prices", [plan(299, 2999), plan(499, 4999)], "Save 17%"],
  ["a plan of which a year saves less", [plan(299, 2999), plan(500, 5900)], "Save up to 16%"],
  ["a third off everywhere", [plan(300, 2400), plan(600, 4800)], "Save 33%"],
  ["a year of twelve months", [plan(250, 3000)], null],
  ["a year that costs more", [plan(250, 3100)], null],
  ["less than half a percent", [plan(1000, 11_990)], null],
  ["nothing to compare", [plan(299, 0), plan(0, 2999)], null],
  ["what is free by the month", [plan(0, 2999)], null],
  ["no plans", [], null],
])("the saving of %s", (_what, plans, label) => expect(savingLabel(plans)).toBe(label));

test("the periods are those in which anything is sold", () => {
  expect(periodsOf([plan(299, 0), plan(0, 2999)])).toEqual(["year", "month"]);
  expect(periodsOf([plan(299, 0)])).toEqual(["month"]);
  expect(periodsOf([])).toEqual([]);
});

test.each([
  [299, "usd", "$2.99"],
  [4999, "usd", "$49.99"],
  [0, "usd", "$0.00"],
  [123456789, "usd", "$1,234,567.89"],
  [500, "eur", "€5.00"],
])("%i %s is %s", (minorUnits, currency, text) => expect(formatMoney(minorUnits, currency)).toBe(text));

test.each([
  [2999, "year", "$2.50 a month, billed $29.99 a year"],
  [4999, "year", "$4.17 a month, billed $49.99 a year"],
  [299, "month", "$2.99 a month, billed monthly"],
] as const)("%i a %s reads %s", (unitAmount, interval, text) => {
  expect(describePrice({ id: "price", currency: "usd", unitAmount, interval })).toBe(text);
});

test("a year's month is rounded to whole cents", () => {
  expect(monthlyAmount({ unitAmount: 4999, interval: "year" })).toBe(417);
});

test.each([
  [0, "0.00"],
  [7, "0.07"],
  [299, "2.99"],
  [4990, "49.90"],
  [2147483647, "21474836.47"],
])("%i is %s to a program", (minorUnits, text) => expect(decimalAmount(minorUnits)).toBe(text));
