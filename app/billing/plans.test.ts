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
  [500, "jpy", "¥500"],
  [5120, "kwd", "KWD\u00a05.120"],
  // Written without decimals, and counted in hundredths by Stripe.
  [99_000, "isk", "ISK\u00a0990"],
  [500, "ugx", "UGX\u00a05"],
  [299_000, "huf", "HUF\u00a02,990"],
  // Nothing is rounded away.
  [299_050, "huf", "HUF\u00a02,990.50"],
])("%i %s is %s", (minorUnits, currency, text) => expect(formatMoney(minorUnits, currency)).toBe(text));

test.each([
  [2999, "year", "$2.50 a month, billed $29.99 a year"],
  [4999, "year", "$4.17 a month, billed $49.99 a year"],
  [299, "month", "$2.99 a month, billed monthly"],
] as const)("%i a %s reads %s", (unitAmount, interval, text) => {
  expect(describePrice({ id: "price", currency: "usd", unitAmount, interval })).toBe(text);
});

test.each([
  [4999, "usd", 417],
  [5000, "jpy", 417],
  [1_000_000, "isk", 83_300],
])("a year's month of %i %s is rounded to what people write: %i", (unitAmount, currency, month) => {
  expect(monthlyAmount({ unitAmount, currency, interval: "year" })).toBe(month);
});

test.each([
  [0, "usd", "0.00"],
  [7, "usd", "0.07"],
  [299, "usd", "2.99"],
  [4990, "usd", "49.90"],
  [2147483647, "usd", "21474836.47"],
  [0, "jpy", "0"],
  [500, "jpy", "500"],
  [7, "kwd", "0.007"],
  [5120, "kwd", "5.120"],
  [99_000, "isk", "990.00"],
])("%i %s is %s to a program", (minorUnits, currency, text) =>
  expect(decimalAmount(minorUnits, currency)).toBe(text),
);
