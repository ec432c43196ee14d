import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { press, setKnobs, startTestSandbox } from "../../testing/stripe.ts";
import { customerOnClock, DAY, seconds } from "../clocks/clock.fixture.ts";

let running: Awaited<ReturnType<typeof startTestSandbox>>;
beforeAll(async () => {
  running = await startTestSandbox();
});
afterAll(() => running.close());
afterEach(() => setDunning("cancel"));

const MONTHLY = "price_csv_only_monthly";
const RENEWAL = seconds("2026-02-28T12:00:00Z");

function setDunning(dunning: "cancel" | "unpaid" | "past_due"): Promise<Response> {
  return setKnobs(running, { dunning });
}

/** A subscription whose card fails from the first renewal on. */
async function failingSubscription() {
  const on = await customerOnClock(running.stripe);
  await on.subscribe(MONTHLY);
  await on.setCard("pm_card_chargeCustomerFail");
  await on.advance(RENEWAL + 3600);
  return on;
}

test("a failed renewal is tried again after 3, 5 and 7 days, and then the subscription ends", async () => {
  const { onlySubscription, invoices, advance, newEvents } = await failingSubscription();
  expect(await onlySubscription()).toMatchObject({ status: "past_due" });
  expect((await invoices())[0]).toMatchObject({
    status: "open",
    attempt_count: 1,
    next_payment_attempt: RENEWAL + 3 * DAY,
  });
  await newEvents();
  await advance(RENEWAL + 4 * DAY);
  expect((await invoices())[0]).toMatchObject({ attempt_count: 2, next_payment_attempt: RENEWAL + 5 * DAY });
  await advance(RENEWAL + 8 * DAY);
  expect((await invoices())[0]).toMatchObject({
    status: "open",
    attempt_count: 4,
    next_payment_attempt: null,
  });
  expect(await onlySubscription()).toMatchObject({
    status: "canceled",
    ended_at: RENEWAL + 7 * DAY,
    cancellation_details: { reason: "payment_failed" },
  });
  const failures = (await newEvents()).filter(({ type }) => type === "invoice.payment_failed");
  expect(failures.map(({ at }) => at)).toEqual([3, 5, 7].map((days) => RENEWAL + days * DAY));
});

test("a new card pays at the next retry", async () => {
  const { onlySubscription, invoices, advance, setCard } = await failingSubscription();
  await setCard("pm_card_visa");
  expect(await onlySubscription()).toMatchObject({ status: "past_due" });
  await advance(RENEWAL + 3 * DAY);
  expect(await onlySubscription()).toMatchObject({ status: "active" });
  expect((await invoices())[0]).toMatchObject({ status: "paid", next_payment_attempt: null });
});

test("paying on the invoice's page makes it active again, and the new card pays from then on", async () => {
  const { onlySubscription, invoices, advance } = await failingSubscription();
  const [invoice] = await invoices();
  expect((await press(String(invoice?.hosted_invoice_url), "pay")).status).toBe(303);
  expect(await onlySubscription()).toMatchObject({
    status: "active",
    default_payment_method: expect.stringMatching(/^pm_/),
  });
  expect((await invoices())[0]).toMatchObject({
    status: "paid",
    status_transitions: { paid_at: RENEWAL + 3600 },
  });
  await advance(seconds("2026-04-01T00:00:00Z"));
  expect((await invoices()).map(({ status }) => status)).toEqual(["paid", "paid", "paid"]);
});

test("unpaid: its later invoices stay drafts", async () => {
  await setDunning("unpaid");
  const { onlySubscription, invoices, advance } = await failingSubscription();
  await advance(RENEWAL + 8 * DAY);
  expect(await onlySubscription()).toMatchObject({ status: "unpaid" });
  await advance(seconds("2026-04-01T00:00:00Z"));
  expect(await onlySubscription()).toMatchObject({ status: "unpaid" });
  expect((await invoices()).map(({ status }) => status)).toEqual(["draft", "open", "paid"]);
});

test("past_due: it stays, and the next renewal is tried again", async () => {
  await setDunning("past_due");
  const { onlySubscription, invoices, advance, setCard } = await failingSubscription();
  await advance(RENEWAL + 8 * DAY);
  expect(await onlySubscription()).toMatchObject({ status: "past_due" });
  await setCard("pm_card_visa");
  await advance(seconds("2026-04-01T00:00:00Z"));
  expect(await onlySubscription()).toMatchObject({ status: "active" });
  expect((await invoices()).map(({ status }) => status)).toEqual(["paid", "open", "paid"]);
});

test("a renewal that needs its cardholder is past due, and says so", async () => {
  const { stripe } = running;
  const { subscribe, setCard, advance, onlySubscription, newEventTypes } = await customerOnClock(stripe);
  await subscribe(MONTHLY);
  await setCard("pm_card_authenticationRequired");
  await newEventTypes(/./);
  await advance(RENEWAL);
  expect(await onlySubscription()).toMatchObject({ status: "past_due" });
  expect(await newEventTypes(/invoice\.payment/)).toEqual([
    "invoice.payment_action_required",
    "invoice.payment_failed",
  ]);
});
