import { expect, test } from "vitest";
import { billingPeriod } from "./periods.ts";
import { prorate } from "./proration.ts";

const DAY = 24 * 60 * 60;
const seconds = (date: string) => Date.parse(date) / 1000;

test.each([
  ["month", 1, "2025-01-31T10:00Z", "2025-01-31T10:00Z", "2025-01-31T10:00Z", "2025-02-28T10:00Z"],
  ["month", 1, "2025-01-31T10:00Z", "2025-02-28T10:00Z", "2025-02-28T10:00Z", "2025-03-31T10:00Z"],
  ["month", 1, "2025-01-31T10:00Z", "2025-02-28T09:59Z", "2025-01-31T10:00Z", "2025-02-28T10:00Z"],
  ["month", 3, "2025-11-30T00:00Z", "2026-01-01T00:00Z", "2025-11-30T00:00Z", "2026-02-28T00:00Z"],
  ["year", 1, "2024-02-29T00:00Z", "2024-02-29T00:00Z", "2024-02-29T00:00Z", "2025-02-28T00:00Z"],
  ["year", 1, "2024-02-29T00:00Z", "2028-03-01T00:00Z", "2028-02-29T00:00Z", "2029-02-28T00:00Z"],
  ["week", 2, "2025-01-01T05:00Z", "2025-02-01T00:00Z", "2025-01-29T05:00Z", "2025-02-12T05:00Z"],
  ["day", 1, "2025-01-01T05:00Z", "2025-01-03T04:00Z", "2025-01-02T05:00Z", "2025-01-03T05:00Z"],
] as const)(
  "every %s × %i from %s: at %s the period is %s to %s",
  (interval, count, anchor, at, start, end) => {
    expect(billingPeriod({ interval, interval_count: count }, seconds(anchor), seconds(at))).toEqual({
      current_period_start: seconds(start),
      current_period_end: seconds(end),
    });
  },
);

test.each([
  ["all of it at the start", 299, 0, 299],
  ["nothing at the end", 299, 30 * DAY, 0],
  ["nothing after the end", 299, 31 * DAY, 0],
  ["never more than was billed", 299, -DAY, 299],
  ["half of an even amount", 500, 15 * DAY, 250],
  ["half a cent is rounded up", 299, 15 * DAY, 150],
  ["a second less is a cent less where it matters", 2_592_000, 1, 2_591_999],
])("%s", (_, amount, at, expected) => {
  expect(prorate({ start: 0, end: 30 * DAY, amount }, at)).toBe(expected);
});
