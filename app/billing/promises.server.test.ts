import { expect, test } from "vitest";
import { NOTHING_OPEN } from "../entitlements/features.ts";
import { PRICE_PROMISE, REFUND_PROMISE, REFUND_PROMISE_ONCE_OPEN, WAITING_PROMISE } from "../ui/offer.ts";
import type { Plan } from "./plans.ts";
import { promisesByPlan } from "./promises.server.ts";
import { CANCEL_TERMS } from "./renewal-terms.ts";

const plans: Plan[] = [
  { id: "csv", name: "CSV Only", description: null, tier: "basic", prices: [] },
  { id: "banking", name: "CSV + Banking", description: null, tier: "premium", prices: [] },
];

test("the promises are those of all pages to the letter, and each begins with words in bold", () => {
  const { csv = [], banking } = promisesByPlan(plans, NOTHING_OPEN);
  expect(csv.map((parts) => parts.join(""))).toEqual([
    PRICE_PROMISE,
    WAITING_PROMISE,
    REFUND_PROMISE,
    CANCEL_TERMS,
  ]);
  expect(banking).toEqual(csv);
  for (const [first, rest] of csv) expect([first, rest]).not.toContain("");
});

test("a plan whose feature is open has the shorter promise", () => {
  const openedAt = new Date("2027-01-01");
  const { banking = [] } = promisesByPlan(plans, {
    ...NOTHING_OPEN,
    banking_api: { isOpen: true, openedAt },
  });
  expect(banking.map((parts) => parts.join(""))).toEqual([
    PRICE_PROMISE,
    REFUND_PROMISE_ONCE_OPEN,
    CANCEL_TERMS,
  ]);
  for (const [first, rest] of banking) expect([first, rest]).not.toContain("");
});
