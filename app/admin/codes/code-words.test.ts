import { expect, test } from "vitest";
import { describeTyped } from "./code-words.ts";

function described(fields: Record<string, string>, used?: number): string | null {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return describeTyped("SPRING", form, used);
}

test("a form of terms says in words what it makes", () => {
  expect(described({})).toBe("SPRING gives anyone 1 month of the plan they choose.");
  expect(described({ tier: "premium", months: "3", maxUses: "1200", oncePerMailbox: "on" })).toBe(
    "SPRING gives 1,200 people 3 months of CSV + Banking, once per mailbox.",
  );
  expect(described({ tier: "basic", forever: "on", maxUses: "1", expiresAt: "2027-01-31T09:00" })).toBe(
    "SPRING gives 1 person CSV Only forever, until 2027-01-31 09:00 (UTC).",
  );
  const times = { startsAt: "2027-01-01T00:00", expiresAt: "2027-02-01T00:00", confirmedOnly: "on" };
  expect(described(times)).toBe(
    "SPRING gives anyone with a confirmed email address 1 month of the plan they choose, from 2027-01-01 00:00 until 2027-02-01 00:00 (UTC).",
  );
});

test("of a code that has been redeemed it says how many more can", () => {
  expect(described({ maxUses: "100" }, 61)).toBe(
    "SPRING gives 39 more people 1 month of the plan they choose.",
  );
  expect(described({ maxUses: "62" }, 61)).toContain(" gives 1 more person 1 month");
  expect(described({}, 61)).toBe("SPRING gives anyone 1 month of the plan they choose.");
  expect(described({ maxUses: "60" }, 61)).toBeNull();
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
