import { expect, test } from "vitest";
import { accessUntil, type InvoiceState, NO_ACCESS, type SubscriptionState } from "./lifecycle.ts";

const START = new Date("2026-11-01T10:00:00Z");
const END = new Date("2026-12-01T10:00:00Z");
const day = (text: string) => new Date(`${text}T10:00:00Z`);

const ACTIVE: SubscriptionState = {
  status: "active",
  currentPeriodStart: START,
  currentPeriodEnd: END,
  cancelAt: null,
  pauseBehavior: null,
  daysGiven: null,
};
const PAID: InvoiceState = {
  status: "paid",
  createdAt: START,
  amountPaid: 499,
  amountRefunded: 0,
  disputeStatus: null,
  periodEnd: END,
};
const OPEN: InvoiceState = { ...PAID, status: "open", amountPaid: 0 };
const EARLIER: InvoiceState = { ...PAID, createdAt: day("2026-10-01"), periodEnd: START };

const until = (state: Partial<SubscriptionState>, invoices = [PAID], graceDays = 7) =>
  accessUntil({ ...ACTIVE, ...state }, invoices, graceDays);

test.each(["active", "trialing"])(
  "%s and renewing: until its period ends, and the days of grace longer",
  (status) => {
    expect(until({ status })).toEqual(day("2026-12-08"));
    expect(until({ status }, [], 14)).toEqual(day("2026-12-15"));
    expect(until({ status }, [PAID], 0), "a renewal may take a moment").toEqual(
      new Date("2026-12-01T11:00:00Z"),
    );
  },
);

test.each(["active", "trialing"])(
  "%s and cancelled: until the moment it ends, by either of Stripe's fields",
  (status) => {
    expect(until({ status, cancelAt: END }), "cancel_at_period_end").toEqual(END);
    expect(until({ status, cancelAt: day("2026-11-20") }), "cancel_at within the period").toEqual(
      day("2026-11-20"),
    );
    expect(until({ status, cancelAt: day("2027-03-01") }), "cancel_at after a renewal").toEqual(
      day("2026-12-08"),
    );
  },
);

test.each(["unpaid", "canceled", "paused", "incomplete", "incomplete_expired", "a status of next year"])(
  "%s: none",
  (status) => {
    expect(until({ status })).toEqual(NO_ACCESS);
    expect(until({ status, pauseBehavior: "keep_as_draft" })).toEqual(NO_ACCESS);
  },
);

test("past due: the days of grace from the invoice that is not paid", () => {
  const state = { status: "past_due" };
  expect(until(state, [OPEN, EARLIER])).toEqual(day("2026-11-08"));
  expect(until(state, [OPEN, EARLIER], 0)).toEqual(START);
  expect(until(state, []), "no invoice known").toEqual(day("2026-11-08"));
  expect(until({ ...state, cancelAt: day("2026-11-03") }, [OPEN])).toEqual(day("2026-11-03"));
});

test("past due after the payment before went back: none", () => {
  const state = { status: "past_due" };
  expect(until(state, [OPEN, { ...EARLIER, amountRefunded: 499 }])).toEqual(NO_ACCESS);
  expect(until({ ...state, currentPeriodStart: null }, [{ ...PAID, amountRefunded: 499 }])).toEqual(
    NO_ACCESS,
  );
});

test("past due for months: no new days of grace with each new invoice", () => {
  const first = { ...OPEN, createdAt: day("2026-10-01"), periodEnd: START };
  const older = { ...PAID, createdAt: day("2026-09-01"), periodEnd: day("2026-10-01") };
  expect(until({ status: "past_due" }, [OPEN, first, older])).toEqual(day("2026-10-08"));
});

test("past due again: an invoice left open before the last payment does not count", () => {
  const leftOpen = { ...OPEN, createdAt: day("2026-09-01"), periodEnd: day("2026-10-01") };
  expect(until({ status: "past_due" }, [OPEN, EARLIER, leftOpen])).toEqual(day("2026-11-08"));
});

test("past due: an invoice of the second in which the last payment was made does not count, one a second later does", () => {
  const paid = { ...EARLIER, createdAt: day("2026-10-20") };
  const leftOpen = { ...OPEN, createdAt: paid.createdAt };
  expect(until({ status: "past_due" }, [paid, leftOpen])).toEqual(day("2026-11-08"));
  leftOpen.createdAt = new Date(paid.createdAt.getTime() + 1000);
  expect(until({ status: "past_due" }, [paid, leftOpen])).toEqual(new Date("2026-10-27T10:00:01Z"));
});

test.each(["keep_as_draft", "mark_uncollectible"])("payments paused with %s: as active", (pauseBehavior) => {
  expect(until({ pauseBehavior }, [EARLIER])).toEqual(day("2026-12-08"));
});

test("payments paused with void: only what is paid for already", () => {
  const pauseBehavior = "void";
  expect(until({ pauseBehavior })).toEqual(END);
  expect(until({ pauseBehavior }, [{ ...OPEN, status: "void" }, EARLIER])).toEqual(START);
  expect(until({ pauseBehavior }, [{ ...EARLIER, amountRefunded: 499 }])).toEqual(NO_ACCESS);
  expect(until({ pauseBehavior }, [])).toEqual(NO_ACCESS);
  expect(until({ pauseBehavior, status: "trialing" }, [])).toEqual(END);
});

test("a full refund of the current period ends it, a partial one does not", () => {
  expect(until({}, [{ ...PAID, amountRefunded: 498 }])).toEqual(day("2026-12-08"));
  expect(until({}, [{ ...PAID, amountRefunded: 499 }])).toEqual(NO_ACCESS);
  expect(until({}, [PAID, { ...EARLIER, amountRefunded: 499 }]), "of an earlier period").toEqual(
    day("2026-12-08"),
  );
  expect(until({ cancelAt: END }, [{ ...PAID, amountRefunded: 499 }])).toEqual(NO_ACCESS);
});

test("what a change of plan paid for on top has to be refunded as well", () => {
  const upgrade = { ...PAID, createdAt: day("2026-11-10"), amountPaid: 120 };
  expect(until({}, [{ ...upgrade, amountRefunded: 120 }, PAID])).toEqual(day("2026-12-08"));
  expect(
    until({}, [
      { ...upgrade, amountRefunded: 120 },
      { ...PAID, amountRefunded: 499 },
    ]),
  ).toEqual(NO_ACCESS);
});

test("a dispute that is lost about one of two payments for the period ends it", () => {
  const upgrade = { ...PAID, createdAt: day("2026-11-10"), amountPaid: 120 };
  expect(until({}, [upgrade, { ...PAID, disputeStatus: "lost" }])).toEqual(NO_ACCESS);
  expect(until({}, [{ ...upgrade, disputeStatus: "lost" }, PAID])).toEqual(NO_ACCESS);
});

test("nothing was paid for a trial or with a free coupon, so nothing can be refunded", () => {
  expect(until({ status: "trialing" }, [{ ...PAID, amountPaid: 0 }])).toEqual(day("2026-12-08"));
});

test.each([
  ["needs_response", day("2026-12-08")],
  ["under_review", day("2026-12-08")],
  ["warning_closed", day("2026-12-08")],
  ["won", day("2026-12-08")],
  ["lost", NO_ACCESS],
])("a dispute about the current period: %s", (disputeStatus, expected) => {
  expect(until({}, [{ ...PAID, disputeStatus }])).toEqual(expected);
  expect(until({}, [PAID, { ...EARLIER, disputeStatus }]), "of an earlier period").toEqual(day("2026-12-08"));
});
