import { expect, test } from "vitest";
import { describeTyped } from "./code-words.ts";

function described(fields: Record<string, string>): string | null {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return describeTyped("SPRING", form);
}

test("a form of terms says in words what it makes", () => {
  expect(described({})).toBe("SPRING gives the plan they choose for 1 month to any number of people.");
  expect(described({ tier: "premium", months: "3", maxUses: "1200", oncePerMailbox: "on" })).toBe(
    "SPRING gives CSV + Banking for 3 months to 1,200 people, once per mailbox.",
  );
  expect(described({ tier: "basic", forever: "on", maxUses: "1", expiresAt: "2027-01-31T09:00" })).toBe(
    "SPRING gives CSV Only forever to 1 person, until 2027-01-31 09:00 (UTC).",
  );
  const times = { startsAt: "2027-01-01T00:00", expiresAt: "2027-02-01T00:00", confirmedOnly: "on" };
  expect(described(times)).toBe(
    "SPRING gives the plan they choose for 1 month to any number of people with a confirmed email address, from 2027-01-01 00:00 until 2027-02-01 00:00 (UTC).",
  );
});

test.each<Record<string, string>>([
  { months: "some" },
  { months: "0" },
  { maxUses: "-1" },
  { months: "2", forever: "on" },
  { startsAt: "2027-02-01T00:00", expiresAt: "2027-01-01T00:00" },
])("of %j, which will be refused, it says nothing", (fields) => {
  expect(described(fields)).toBeNull();
});
