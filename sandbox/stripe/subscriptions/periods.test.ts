import { expect, test } from "vitest";
import { billingPeriod } from "./periods.ts";

function seconds(date: string): number {
  return Date.parse(date) / 1000;
}

test.each([
  [
    "month",
    1,
    "2025-01-31T10:00:00Z",
    "2025-01-31T10:00:00Z",
    "2025-01-31T10:00:00Z",
    "2025-02-28T10:00:00Z",
  ],
  [
    "month",
    1,
    "2025-01-31T10:00:00Z",
    "2025-02-28T10:00:00Z",
    "2025-02-28T10:00:00Z",
    "2025-03-31T10:00:00Z",
  ],
  [
    "month",
    1,
    "2025-01-31T10:00:00Z",
    "2025-02-28T09:59:59Z",
    "2025-01-31T10:00:00Z",
    "2025-02-28T10:00:00Z",
  ],
  [
    "month",
    3,
    "2025-11-30T00:00:00Z",
    "2026-01-01T00:00:00Z",
    "2025-11-30T00:00:00Z",
    "2026-02-28T00:00:00Z",
  ],
  ["year", 1, "2024-02-29T00:00:00Z", "2024-02-29T00:00:00Z", "2024-02-29T00:00:00Z", "2025-02-28T00:00:00Z"],
  ["year", 1, "2024-02-29T00:00:00Z", "2028-03-01T00:00:00Z", "2028-02-29T00:00:00Z", "2029-02-28T00:00:00Z"],
  ["week", 2, "2025-01-01T05:00:00Z", "2025-02-01T00:00:00Z", "2025-01-29T05:00:00Z", "2025-02-12T05:00:00Z"],
  ["day", 1, "2025-01-01T05:00:00Z", "2025-01-03T04:00:00Z", "2025-01-02T05:00:00Z", "2025-01-03T05:00:00Z"],
  [
    "month",
    1,
    "2025-05-05T00:00:00Z",
    "2025-01-01T00:00:00Z",
    "2025-05-05T00:00:00Z",
    "2025-06-05T00:00:00Z",
  ],
])(
  "every %s × %i from %s: at %s the period is %s to %s",
  (interval, interval_count, anchor, at, start, end) => {
    expect(billingPeriod({ interval, interval_count }, seconds(anchor), seconds(at))).toEqual({
      current_period_start: seconds(start),
      current_period_end: seconds(end),
    });
  },
);
