import { expect, test } from "vitest";
import { decimalAmount, describePrice, formatMoney, monthlyAmount } from "./plans.ts";

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
