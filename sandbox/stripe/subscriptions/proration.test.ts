import { expect, test } from "vitest";
import { creditFor, prorate } from "./proration.ts";

const DAY = 24 * 60 * 60;
const MONTH = { start: 0, end: 30 * DAY };

test.each([
  ["all of it at the start", 299, 0, 299],
  ["nothing at the end", 299, 30 * DAY, 0],
  ["nothing after the end", 299, 31 * DAY, 0],
  ["never more than was billed", 299, -DAY, 299],
  ["half of an even amount", 500, 15 * DAY, 250],
  ["half a cent is rounded up", 299, 15 * DAY, 150],
  ["a third", 299, 20 * DAY, 100],
  ["a second less is a cent less where it matters", 2_592_000, 1, 2_591_999],
  ["a price of nothing", 0, 10 * DAY, 0],
])("%s", (_, amount, at, expected) => {
  expect(prorate({ ...MONTH, amount }, at)).toBe(expected);
  expect(creditFor({ ...MONTH, amount }, at)).toBe(0 - expected);
});

test("a debit that began later in the period is prorated over its own time", () => {
  const debit = { amount: 250, start: 15 * DAY, end: 30 * DAY };
  expect(creditFor(debit, 15 * DAY)).toBe(-250);
  expect(creditFor(debit, 21 * DAY)).toBe(-150);
});

test("a period without length and an item that was never billed are worth nothing", () => {
  expect(prorate({ amount: 100, start: 5, end: 5 }, 5)).toBe(0);
  expect(creditFor(undefined, 5)).toBe(0);
});

test("credit and debit of the same price cancel out at every second", () => {
  for (let at = 0; at <= MONTH.end; at += 997) {
    const debit = { ...MONTH, amount: 4999 };
    expect(creditFor(debit, at) + prorate(debit, at)).toBe(0);
  }
});
