import { expect, test } from "vitest";
import { refundedOf } from "./plan-overview.ts";
import { changeHappens, type PaidInvoice, type RatedPrice, refundableNow, withdrawalEnds } from "./rules.ts";

const [csvMonth, csvYear, bankMonth, bankYear]: RatedPrice[] = [
  { unitAmount: 299, interval: "month" },
  { unitAmount: 2999, interval: "year" },
  { unitAmount: 499, interval: "month" },
  { unitAmount: 4999, interval: "year" },
] as const;

test.each([
  ["more, by the month", csvMonth, bankMonth, "now"],
  ["more, by the year", csvYear, bankYear, "now"],
  ["as much, by the month", csvMonth, { ...csvMonth }, "now"],
  ["as much, by the year", bankYear, { ...bankYear }, "now"],
  ["less, by the month", bankMonth, csvMonth, "at_period_end"],
  ["less, by the year", bankYear, csvYear, "at_period_end"],
  ["from a month to a year", csvMonth, csvYear, "now"],
  ["from a month to a year of less", bankMonth, csvYear, "now"],
  ["from a year to a month", bankYear, bankMonth, "at_period_end"],
  ["from a year to a month of more", csvYear, bankMonth, "at_period_end"],
] as [string, RatedPrice, RatedPrice, string][])("%s: %#", (_, from, to, when) => {
  expect(changeHappens(from, to)).toBe(when);
});

const day = (text: string) => new Date(`${text}T12:00:00Z`);

const invoice = (id: string, paidAt: string, change: Partial<PaidInvoice> = {}): PaidInvoice => ({
  id,
  amountPaid: 499,
  amountRefunded: 0,
  paidAt: day(paidAt),
  openedAt: null,
  isDisputed: false,
  ...change,
});

const refundable = ({
  invoices,
  openedAt,
  now,
}: Record<"invoices", PaidInvoice[]> & { openedAt: Date | null; now: Date }) =>
  refundableNow(
    invoices.map((each) => ({ ...each, openedAt })),
    now,
  );

const YEAR = [invoice("in_1", "2026-01-01"), invoice("in_2", "2026-02-01"), invoice("in_3", "2026-03-01")];

test("before the first feature opens, every payment may be refunded and no day is set", () => {
  expect(refundable({ invoices: YEAR, openedAt: null, now: day("2027-01-01") })).toEqual({
    invoices: YEAR.map(({ id }) => ({ id, amount: 499 })),
    total: 1497,
    until: null,
  });
});

test("a feature that opens on a day that is known leaves all of it until then", () => {
  const openedAt = day("2026-04-01");
  const all = { total: 1497, until: openedAt };
  expect(refundable({ invoices: YEAR, openedAt, now: day("2026-03-02") })).toMatchObject(all);
  expect(refundable({ invoices: YEAR, openedAt, now: openedAt })).toMatchObject(all);
  expect(refundable({ invoices: YEAR, openedAt, now: new Date(openedAt.getTime() + 1) }).total).toBe(0);
});

test("once a feature is open, payments of the last 14 days may be refunded, to the moment", () => {
  const openedAt = day("2026-01-15");
  const until = day("2026-03-15");
  expect(refundable({ invoices: YEAR, openedAt, now: until })).toEqual({
    invoices: [{ id: "in_3", amount: 499 }],
    total: 499,
    until,
  });
  expect(refundable({ invoices: YEAR, openedAt, now: new Date(until.getTime() + 1) })).toEqual({
    invoices: [],
    total: 0,
    until: null,
  });
});

test("a payment shortly before the opening keeps its 14 days", () => {
  const invoices = [invoice("in_1", "2026-03-30")];
  const answer = refundable({ invoices, openedAt: day("2026-04-01"), now: day("2026-04-10") });
  expect(answer).toMatchObject({ total: 499, until: day("2026-04-13") });
});

test("of two payments, the whole may be refunded until the earlier one's last day", () => {
  const invoices = [invoice("in_1", "2026-03-01"), invoice("in_2", "2026-03-08")];
  const openedAt = day("2026-01-01");
  const both = refundable({ invoices, openedAt, now: day("2026-03-10") });
  expect(both).toMatchObject({ total: 998, until: day("2026-03-15") });
  const rest = refundable({ invoices, openedAt, now: day("2026-03-16") });
  expect(rest).toMatchObject({ total: 499, until: day("2026-03-22") });
});

test("what was refunded is not refunded again, and what cost nothing is left out", () => {
  const invoices = [
    invoice("in_free", "2026-01-01", { amountPaid: 0 }),
    invoice("in_back", "2026-01-02", { amountRefunded: 499 }),
    invoice("in_part", "2026-01-03", { amountRefunded: 200 }),
    invoice("in_disputed", "2026-01-04", { isDisputed: true }),
  ];
  expect(refundable({ invoices, openedAt: null, now: day("2026-06-01") })).toEqual({
    invoices: [{ id: "in_part", amount: 299 }],
    total: 299,
    until: null,
  });
});

test("each payment by the plan it was for", () => {
  const invoices = [
    invoice("in_open", "2026-01-01", { openedAt: day("2025-12-01") }),
    invoice("in_built", "2026-02-01"),
  ];
  const answer = refundableNow(invoices, day("2026-06-01"));
  expect(answer.invoices).toEqual([{ id: "in_built", amount: 499 }]);
});

test("what went back of a plan is not that of an earlier one", () => {
  const invoices = [
    { subscriptionId: "sub_1", amountRefunded: 4999 },
    { subscriptionId: "sub_2", amountRefunded: 100 },
    { subscriptionId: "sub_2", amountRefunded: 0 },
  ];
  expect(refundedOf({ subscriptionId: "sub_2" }, invoices)).toBe(100);
});

test.each(["2026-03-01T00:00:00Z", "2026-03-01T23:59:59.999Z"])(
  "a contract of %s can be withdrawn from until the last moment of the fourteenth day after it",
  (madeAt) => expect(withdrawalEnds(new Date(madeAt))).toEqual(new Date("2026-03-16T00:00:00Z")),
);

test("the last moment of the fourteen days is in time for a refund, the next one is not", () => {
  const invoice: PaidInvoice = {
    id: "in_1",
    amountPaid: 499,
    amountRefunded: 0,
    isDisputed: false,
    paidAt: new Date("2026-03-01T12:00:00Z"),
    openedAt: new Date("2026-01-01T00:00:00Z"),
  };
  const totalAt = (now: string) => refundableNow([invoice], new Date(now)).total;
  expect([totalAt("2026-03-15T12:00:00Z"), totalAt("2026-03-15T12:00:00.001Z")]).toEqual([499, 0]);
});
