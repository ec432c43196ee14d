import { expect, test } from "vitest";
import { changeLaterTerms, changeNowTerms, purchaseTerms, RENEWAL_TERMS_VERSION } from "./renewal-terms.ts";

const YEARLY = { unitAmount: 4999, currency: "usd", interval: "year" } as const;
const MONTHLY = { unitAmount: 499, currency: "usd", interval: "month" } as const;
const DAY = new Date("2027-11-22T23:59:59Z");

/** What each version said. A version somebody may have agreed to is never changed. */
const SAID: Record<string, string[]> = {
  "1": [
    "You pay $49.99 today, then $49.99 every year on the same day until you cancel. Cancel any time on your dashboard: you keep the plan until the end of the year you’ve paid for.",
    "You pay $4.99 today, then $4.99 every month on the same day until you cancel. Cancel any time on your dashboard: you keep the plan until the end of the month you’ve paid for.",
    "You pay $16.67 today, then $49.99 every year, next on 22 November 2027, until you cancel. Cancel any time on your dashboard: you keep the plan until the end of the year you’ve paid for.",
    "You pay nothing today, then $49.99 every year, next on 22 November 2027, until you cancel. Cancel any time on your dashboard: you keep the plan until the end of the year you’ve paid for.",
    "You pay nothing today. From 22 November 2027 you pay $4.99 every month until you cancel. Cancel any time on your dashboard: you keep the plan until the end of the month you’ve paid for.",
  ],
  "2": [
    "You pay $49.99 today, then $49.99 every year on the same day until you cancel. Cancel any time on your dashboard: you keep the plan until the end of the year you’ve paid for.",
    "You pay $4.99 today, then $4.99 every month on the same day until you cancel. Cancel any time on your dashboard: you keep the plan until the end of the month you’ve paid for.",
    "You pay $16.67 today, then $49.99 every year, next on November 22, 2027, 11:59 PM UTC, until you cancel. Cancel any time on your dashboard: you keep the plan until the end of the year you’ve paid for.",
    "You pay nothing today, then $49.99 every year, next on November 22, 2027, 11:59 PM UTC, until you cancel. Cancel any time on your dashboard: you keep the plan until the end of the year you’ve paid for.",
    "You pay nothing today. From November 22, 2027, 11:59 PM UTC you pay $4.99 every month until you cancel. Cancel any time on your dashboard: you keep the plan until the end of the month you’ve paid for.",
  ],
};

test("other words have a new version", () => {
  expect(
    [
      purchaseTerms(YEARLY),
      purchaseTerms(MONTHLY),
      changeNowTerms(YEARLY, 1667, DAY, null),
      changeNowTerms(YEARLY, 0, DAY, null),
      changeLaterTerms(MONTHLY, DAY, null),
    ],
    "raise RENEWAL_TERMS_VERSION and add what the new one says",
  ).toEqual(SAID[RENEWAL_TERMS_VERSION]);
});
