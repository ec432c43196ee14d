import { expect, test } from "vitest";
import { formatDay, formatDue, formatEnd } from "./format-day.ts";
import { readTimeZone } from "./time-zone.ts";

const END = "2026-11-27T02:00:00Z";

test.each([
  [END, "America/Los_Angeles", "November 26, 2026, 6:00 PM PST"],
  [END, null, "November 27, 2026, 2:00 AM UTC"],
  [END, "UTC", "November 27, 2026, 2:00 AM UTC"],
  [END, "Pacific/Kiritimati", "November 27, 2026, 4:00 PM GMT+14"],
  [END, "Asia/Kolkata", "November 27, 2026, 7:30 AM GMT+5:30"],
  // The hour that comes twice when summer time ends, and the one that never is when it begins.
  ["2026-11-01T08:30:00Z", "America/Los_Angeles", "November 1, 2026, 1:30 AM PDT"],
  ["2026-11-01T09:30:00Z", "America/Los_Angeles", "November 1, 2026, 1:30 AM PST"],
  ["2027-03-14T09:59:59Z", "America/Los_Angeles", "March 14, 2027, 1:59 AM PST"],
  ["2027-03-14T10:00:00Z", "America/Los_Angeles", "March 14, 2027, 3:00 AM PDT"],
  // Stored once, and unknown to this version of Node.
  [END, "Mars/Base", "November 27, 2026, 2:00 AM UTC"],
])("an end at %s reads, in the zone %s: %s", (instant, timeZone, expected) => {
  expect(formatEnd(new Date(instant), timeZone)).toBe(expected);
});

test("what is due has its time in the last 48 hours before it", () => {
  const hours = (count: number) => new Date(Date.now() + count * 60 * 60 * 1000);
  for (const [due, hasTime] of [
    [hours(49), false],
    [hours(47), true],
    [hours(-1), true],
  ] as const)
    expect(formatDue(due, "Asia/Kolkata")).toBe((hasTime ? formatEnd : formatDay)(due, "Asia/Kolkata"));
});

test("a day that ends nothing is one of the reader's zone, too", () => {
  expect(formatDay(new Date(END), "America/Los_Angeles")).toBe("November 26, 2026");
  expect(formatDay(new Date(END))).toBe("November 27, 2026");
});

test.each([
  ["America/Los_Angeles", "America/Los_Angeles"],
  ["america/los_angeles", "America/Los_Angeles"],
  ["Pacific/Kiritimati", "Pacific/Kiritimati"],
  ["America/Indiana/Knox", "America/Indiana/Knox"],
  ["Etc/GMT+8", "Etc/GMT+8"],
  ["UTC", "UTC"],
])("the zone %s is stored as %s", (sent, stored) => {
  expect(readTimeZone(sent)).toBe(stored);
});

test.each([
  "",
  "Mars/Base",
  "+02:00",
  "+0200",
  'UTC\'; DROP TABLE "user"; --',
  "../../etc/passwd",
  "Europe/Berlin\u0000",
  " Europe/Berlin",
  "Europe/Berlin\n",
])("%j is no time zone", (sent) => {
  expect(readTimeZone(sent)).toBeNull();
});

test("a megabyte of text is no time zone", () => {
  expect(readTimeZone("E".repeat(1_000_000))).toBeNull();
});
