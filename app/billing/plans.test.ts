import { expect, test } from "vitest";
import { PLUS_TAX } from "../ui/offer.ts";
import { choiceIn, signUpLink } from "./choice.ts";
import {
  type BillingInterval,
  decimalAmount,
  describePrice,
  formatMoney,
  monthlyAmount,
  type Plan,
  periodsOf,
  savingLabel,
} from "./plans.ts";
import { changeLaterTerms, changeNowTerms, purchaseTerms, RENEWAL_TERMS_VERSION } from "./renewal-terms.ts";

/** A plan at so many cents a month and a year; 0 when it is not sold so. */
function plan(month: number, year: number): Plan {
  const amounts: [BillingInterval, number][] = [
    ["month", month],
    ["year", year],
  ];
  const prices = amounts.flatMap(([interval, unitAmount]) =>
    unitAmount > 0 ? [{ id: `${interval}_${unitAmount}`, unitAmount, currency: "usd", interval }] : [],
  );
  return { id: "prod", name: "Plan", description: null, tier: "basic", prices };
}

test.each([
  ["the spec's prices", [plan(299, 2999), plan(499, 4999)], "Save 17%"],
  ["a plan of which a year saves less", [plan(299, 2999), plan(500, 5900)], "Save up to 16%"],
  ["a third off everywhere", [plan(300, 2400), plan(600, 4800)], "Save 33%"],
  ["a year of twelve months", [plan(250, 3000)], null],
  ["a year that costs more", [plan(250, 3100)], null],
  ["less than half a percent", [plan(1000, 11_990)], null],
  ["nothing to compare", [plan(299, 0), plan(0, 2999)], null],
  ["what is free by the month", [plan(0, 2999)], null],
  ["no plans", [], null],
])("the saving of %s", (_what, plans, label) => expect(savingLabel(plans)).toBe(label));

test("the periods are those in which anything is sold", () => {
  expect(periodsOf([plan(299, 0), plan(0, 2999)])).toEqual(["year", "month"]);
  expect(periodsOf([plan(299, 0)])).toEqual(["month"]);
  expect(periodsOf([])).toEqual([]);
});

test.each([
  [299, "usd", "$2.99"],
  [4999, "usd", "$49.99"],
  [0, "usd", "$0.00"],
  [123456789, "usd", "$1,234,567.89"],
  [500, "eur", "€5.00"],
  [500, "jpy", "¥500"],
  [5120, "kwd", "KWD\u00a05.120"],
  // Written without decimals, and counted in hundredths by Stripe.
  [99_000, "isk", "ISK\u00a0990"],
  [500, "ugx", "UGX\u00a05"],
  [299_000, "huf", "HUF\u00a02,990"],
  // Nothing is rounded away.
  [299_050, "huf", "HUF\u00a02,990.50"],
])("%i %s is %s", (minorUnits, currency, text) => expect(formatMoney(minorUnits, currency)).toBe(text));

test.each([
  [2999, "year", "$29.99 a year ($2.50 a month)"],
  [4999, "year", "$49.99 a year ($4.17 a month)"],
  [299, "month", "$2.99 a month"],
] as const)("%i a %s reads %s", (unitAmount, interval, text) => {
  expect(describePrice({ id: "price", currency: "usd", unitAmount, interval })).toBe(text);
});

test.each([
  [4999, "usd", 417],
  [5000, "jpy", 417],
  [1_000_000, "isk", 83_300],
])("a year's month of %i %s is rounded to what people write: %i", (unitAmount, currency, month) => {
  expect(monthlyAmount({ unitAmount, currency, interval: "year" })).toBe(month);
});

test.each([
  [0, "usd", "0.00"],
  [7, "usd", "0.07"],
  [299, "usd", "2.99"],
  [4990, "usd", "49.90"],
  [2147483647, "usd", "21474836.47"],
  [0, "jpy", "0"],
  [500, "jpy", "500"],
  [7, "kwd", "0.007"],
  [5120, "kwd", "5.120"],
  [99_000, "isk", "990.00"],
])("%i %s is %s to a program", (minorUnits, currency, text) =>
  expect(decimalAmount(minorUnits, currency)).toBe(text),
);

const NOTHING = { plan: null, billing: null, promo: null };

test.each([
  ["/subscription", NOTHING],
  ["/subscription?", NOTHING],
  ["?billing=annual", { ...NOTHING, billing: "year" }],
  ["?billing=monthly", { ...NOTHING, billing: "month" }],
  ["?billing=weekly", NOTHING],
  ["?promo=%20SPRING%20", { ...NOTHING, promo: "SPRING" }],
  ["?promo=%20", NOTHING],
  [`?promo=${"x".repeat(500)}`, { ...NOTHING, promo: "x".repeat(100) }],
  ["?plan=x&plan=y", { ...NOTHING, plan: "x" }],
])("%s has chosen %o", (path, choice) => {
  expect(choiceIn(path)).toEqual(choice);
});

test("what was chosen comes back from signing up as it was", () => {
  const choice = { plan: "prod_csv_only", billing: "month", promo: "50% & more" } as const;
  const link = signUpLink(null, choice);
  const returnTo = new URL(link, "http://own.example").searchParams.get("return_to") ?? "";
  expect(choiceIn(returnTo)).toEqual(choice);
  expect(signUpLink(null, {})).toBe("/register");
});

test("the hosted app gets it as a query of its own", () => {
  const choice = { plan: "prod_csv_only", billing: "year", promo: null } as const;
  expect(signUpLink("https://app.own.example", choice)).toBe(
    "https://app.own.example/register?plan=prod_csv_only&billing=annual",
  );
  expect(signUpLink("https://app.own.example", {})).toBe("https://app.own.example/register");
});

const YEARLY = { unitAmount: 4999, currency: "usd", interval: "year" } as const;
const MONTHLY = { unitAmount: 499, currency: "usd", interval: "month" } as const;
const DAY = "November 22, 2027, 11:59 PM UTC";

/** What each version said. A version that a customer may have agreed to never changes. */
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
  // A day may be followed by "plus the days until CSV Processing opens".
  "3": [
    "You pay $49.99 today, then $49.99 every year on the same day until you cancel. Cancel any time on your dashboard: you keep the plan until the end of the year you’ve paid for.",
    "You pay $4.99 today, then $4.99 every month on the same day until you cancel. Cancel any time on your dashboard: you keep the plan until the end of the month you’ve paid for.",
    "You pay $16.67 today, then $49.99 every year, next on November 22, 2027, 11:59 PM UTC, until you cancel. Cancel any time on your dashboard: you keep the plan until the end of the year you’ve paid for.",
    "You pay nothing today, then $49.99 every year, next on November 22, 2027, 11:59 PM UTC, until you cancel. Cancel any time on your dashboard: you keep the plan until the end of the year you’ve paid for.",
    "You pay nothing today. From November 22, 2027, 11:59 PM UTC, you pay $4.99 every month until you cancel. Cancel any time on your dashboard: you keep the plan until the end of the month you’ve paid for.",
  ],
  "4": [
    "You pay $49.99 today, then $49.99 every year on the same day until you cancel. Cancel any time on your dashboard: you keep the plan until the end of the period you’ve paid for.",
    "You pay $4.99 today, then $4.99 every month on the same day until you cancel. Cancel any time on your dashboard: you keep the plan until the end of the period you’ve paid for.",
    "You pay $16.67 today, then $49.99 every year, next on November 22, 2027, 11:59 PM UTC, until you cancel. Cancel any time on your dashboard: you keep the plan until the end of the period you’ve paid for.",
    "You pay nothing today, then $49.99 every year, next on November 22, 2027, 11:59 PM UTC, until you cancel. Cancel any time on your dashboard: you keep the plan until the end of the period you’ve paid for.",
    "You pay nothing today. From November 22, 2027, 11:59 PM UTC, you pay $4.99 every month until you cancel. Cancel any time on your dashboard: you keep the plan until the end of the period you’ve paid for.",
  ],
  // The same, said in the same way for a change now and a later one.
  "5": [
    "You pay $49.99 today, then $49.99 every year on the same day until you cancel. Cancel any time on your dashboard: you keep the plan until the end of the period you’ve paid for.",
    "You pay $4.99 today, then $4.99 every month on the same day until you cancel. Cancel any time on your dashboard: you keep the plan until the end of the period you’ve paid for.",
    "You pay $16.67 today. From November 22, 2027, 11:59 PM UTC, you pay $49.99 every year until you cancel. Cancel any time on your dashboard: you keep the plan until the end of the period you’ve paid for.",
    "You pay nothing today. From November 22, 2027, 11:59 PM UTC, you pay $49.99 every year until you cancel. Cancel any time on your dashboard: you keep the plan until the end of the period you’ve paid for.",
    "You pay nothing today. From November 22, 2027, 11:59 PM UTC, you pay $4.99 every month until you cancel. Cancel any time on your dashboard: you keep the plan until the end of the period you’ve paid for.",
  ],
};

test("other words have a new version", () => {
  expect(
    [
      purchaseTerms(YEARLY, ""),
      purchaseTerms(MONTHLY, ""),
      changeNowTerms(YEARLY, { due: 1667, tax: 0 }, DAY, ""),
      changeNowTerms(YEARLY, { due: 0, tax: 0 }, DAY, ""),
      changeLaterTerms(MONTHLY, DAY, ""),
    ],
    "raise RENEWAL_TERMS_VERSION and add what the new one says",
  ).toEqual(SAID[RENEWAL_TERMS_VERSION]);
});

test("with tax they have one clause more, and what is due today has its tax named", () => {
  expect(purchaseTerms(YEARLY, PLUS_TAX)).toContain(
    "You pay $49.99 today, then $49.99 every year on the same day until you cancel, plus tax where it applies. Cancel",
  );
  expect(changeNowTerms(YEARLY, { due: 1809, tax: 142 }, DAY, PLUS_TAX)).toContain(
    "You pay $18.09, including $1.42 tax, today. From November 22, 2027, 11:59 PM UTC, you pay $49.99 every year, plus tax where it applies, until you cancel. Cancel",
  );
  expect(changeLaterTerms(MONTHLY, DAY, PLUS_TAX)).toContain(
    "you pay $4.99 every month, plus tax where it applies, until you cancel. Cancel",
  );
});
