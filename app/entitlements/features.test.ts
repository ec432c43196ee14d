import { expect, test } from "vitest";
import { REFUND_PROMISE } from "../ui/offer.ts";
import { isForever } from "./expiry.ts";
import { addedDays, buyingEarly, type FeatureStates, NOTHING_OPEN, refundTerms } from "./features.ts";
import { stateOfTheApp } from "./state-of-the-app.ts";
import type { Tier } from "./tiers.ts";

const OPEN = { isOpen: true, openedAt: new Date("2027-01-01") };
const SOON = { isOpen: false, openedAt: new Date("2027-02-01") };
const CSV_OPEN: FeatureStates = { ...NOTHING_OPEN, csv_processing: OPEN };
const BANKING_OPEN: FeatureStates = { ...NOTHING_OPEN, banking_api: OPEN };
const ALL_OPEN: FeatureStates = { csv_processing: OPEN, banking_api: OPEN };
const AFTERWARDS = "Get a full refund within 14 days of any payment.";

test("the refund promise is the terms' until a feature of the plan opens", () => {
  for (const tier of ["basic", "premium", null] as const) {
    expect(refundTerms(tier, NOTHING_OPEN)).toBe(REFUND_PROMISE);
    expect(refundTerms(tier, { ...NOTHING_OPEN, csv_processing: SOON })).toBe(REFUND_PROMISE);
    expect(refundTerms(tier, CSV_OPEN)).toBe(AFTERWARDS);
  }
  expect(refundTerms("premium", BANKING_OPEN)).toBe(AFTERWARDS);
  expect(refundTerms("basic", BANKING_OPEN), "CSV Only has nothing open yet").toBe(REFUND_PROMISE);
  expect(refundTerms(null, BANKING_OPEN)).toBe(REFUND_PROMISE);
  expect(buyingEarly("basic", ALL_OPEN)).toBe(
    `Your price never goes up while you stay subscribed. ${AFTERWARDS}`,
  );
  expect(buyingEarly("basic", NOTHING_OPEN)).toContain(`Time before launch is free`);
});

test("a plan waits for the feature that opens first, until one of its features has opened once", () => {
  const added = (tier: Tier, features: FeatureStates, end = "2028-01-01") =>
    addedDays(tier, features, new Date(end));
  expect(added("premium", NOTHING_OPEN)).toBe(", plus the days until CSV Processing opens");
  expect(added("premium", { ...NOTHING_OPEN, banking_api: SOON })).toBe(
    ", plus the days until Banking API opens",
  );
  expect(added("premium", { ...NOTHING_OPEN, banking_api: SOON }, "2027-01-31")).toBe(
    ", plus the days until CSV Processing opens",
  );
  expect(added("basic", { ...NOTHING_OPEN, csv_processing: SOON }, "2027-01-31")).toBe("");
  expect(added("basic", BANKING_OPEN)).toBe(", plus the days until CSV Processing opens");
  expect(added("premium", BANKING_OPEN)).toBe("");
  const closedAgain = { isOpen: false, openedAt: null, hasOpened: true };
  expect(added("basic", { ...NOTHING_OPEN, csv_processing: closedAgain })).toBe("");
});

test.each([
  [
    NOTHING_OPEN,
    "CSV Processing (your bank’s file) and the Banking API (a connection to your bank) are still being built. Every other feature depends on these two. There is no mobile app yet.",
  ],
  [
    CSV_OPEN,
    "CSV Processing (your bank’s file) is open. The Banking API (a connection to your bank) is still being built. There is no mobile app yet.",
  ],
  [
    ALL_OPEN,
    "CSV Processing (your bank’s file) and the Banking API (a connection to your bank) are open. There is no mobile app yet.",
  ],
])("what of the app is open: %#", (features, text) => expect(stateOfTheApp(features)).toBe(text));

test.each([
  ["2126-11-05", true],
  // Given some years ago, on a leap day.
  ["2124-02-28", true],
  ["2027-11-05", false],
  ["2076-11-05", false],
])("a plan until %s, seen in November 2026, lasts forever: %s", (day, expected) => {
  expect(isForever(new Date(day), 2026)).toBe(expected);
});
