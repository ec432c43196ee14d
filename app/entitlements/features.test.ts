import { expect, test } from "vitest";
import { REFUND_PROMISE } from "../ui/offer.ts";
import { isForever } from "./expiry.ts";
import {
  awaitedFeature,
  buyingEarly,
  type FeatureStates,
  NOTHING_OPEN,
  refundTerms,
  stateOfTheApp,
} from "./features.ts";
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
  const awaited = (tier: Tier, features: FeatureStates, end = "2028-01-01") =>
    awaitedFeature(tier, features, new Date(end));
  expect(awaited("premium", NOTHING_OPEN)).toBe("csv_processing");
  expect(awaited("premium", { ...NOTHING_OPEN, banking_api: SOON })).toBe("banking_api");
  expect(awaited("premium", { ...NOTHING_OPEN, banking_api: SOON }, "2027-01-31")).toBe("csv_processing");
  expect(awaited("basic", { ...NOTHING_OPEN, csv_processing: SOON }, "2027-01-31")).toBeNull();
  expect(awaited("basic", BANKING_OPEN)).toBe("csv_processing");
  expect(awaited("premium", BANKING_OPEN)).toBeNull();
  const closedAgain = { isOpen: false, openedAt: null, hasOpened: true };
  expect(awaited("basic", { ...NOTHING_OPEN, csv_processing: closedAgain })).toBeNull();
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
