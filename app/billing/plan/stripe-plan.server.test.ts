import { expect, test } from "vitest";
import { setupBilling } from "../billing.fixture.ts";
import { requestPlanChange } from "./apply-plan-change.server.ts";
import { findSubscribedPlan, reviewChange } from "./change-review.server.ts";
import type { PlanChangeRequest } from "./plan-change-request.server.ts";
import { readPlanOverview } from "./plan-overview.server.ts";

// What was changed in Stripe's dashboard before a request arrives.

const LARGE_YEARLY = "price_csv_banking_yearly";

const { billing, appWith, openCustomer } = setupBilling();

const changeTo = (priceId: string, prorationDate: Date | null = new Date()): PlanChangeRequest => ({
  kind: "change",
  priceId,
  prorationDate,
});
const CANCEL: PlanChangeRequest = { kind: "cancel", reason: null, comment: null };

async function openBuyer(price: string) {
  const { userId, subscription: id } = await openCustomer(price);
  return {
    id,
    ask: (request: PlanChangeRequest) => requestPlanChange(appWith(), userId, request),
    atStripe: () => billing.stripe.subscriptions.retrieve(id, { expand: ["schedule"] }),
    overview: () => readPlanOverview(appWith(), userId),
  };
}

const REFUSED = { ok: false, status: 409 };

test.each(["CSV", "month"] as const)(
  "a change that Stripe refuses (%s) leaves an end that was asked for",
  async (from) => {
    const buyer = await openBuyer(from === "CSV" ? "price_csv_only_yearly" : "price_csv_banking_monthly");
    await buyer.ask(CANCEL);
    await billing.stripe.prices.update(LARGE_YEARLY, { active: false });
    try {
      expect(await buyer.ask(changeTo(LARGE_YEARLY))).toMatchObject(REFUSED);
    } finally {
      await billing.stripe.prices.update(LARGE_YEARLY, { active: true });
    }
    expect(await buyer.atStripe()).toMatchObject({ cancel_at_period_end: true });
    expect(await buyer.overview()).toMatchObject({ cancelAt: expect.any(Date), next: null });
  },
);

test("a change that Stripe refuses leaves the smaller plan that was asked for", async () => {
  const buyer = await openBuyer("price_csv_banking_monthly");
  await buyer.ask(changeTo("price_csv_only_monthly"));
  await billing.stripe.prices.update(LARGE_YEARLY, { active: false });
  try {
    expect(await buyer.ask(changeTo(LARGE_YEARLY))).toMatchObject(REFUSED);
  } finally {
    await billing.stripe.prices.update(LARGE_YEARLY, { active: true });
  }
  expect(await buyer.overview()).toMatchObject({
    nextPlan: { price: { id: "price_csv_only_monthly" } },
    next: { amount: 299 },
  });
});

test("nothing is changed while payments are paused at Stripe, even before that is known here", async () => {
  const buyer = await openBuyer("price_csv_only_yearly");
  await billing.stripe.subscriptions.update(buyer.id, { pause_collection: { behavior: "void" } });
  expect(await buyer.ask(changeTo(LARGE_YEARLY))).toMatchObject(REFUSED);
  expect((await buyer.atStripe()).items.data[0]?.price.id).toBe("price_csv_only_yearly");
});

test("nobody is charged at once for a change that was reviewed for the period's end", async () => {
  const buyer = await openBuyer(LARGE_YEARLY);
  const { items } = await buyer.atStripe();
  await billing.stripe.subscriptions.update(buyer.id, {
    items: [{ id: items.data[0]?.id ?? "", price: "price_csv_only_monthly" }],
    proration_behavior: "none",
  });
  expect(await buyer.ask(changeTo("price_csv_only_yearly", null))).toMatchObject(REFUSED);
  expect((await buyer.atStripe()).items.data[0]?.price.id).toBe("price_csv_only_monthly");
});

test("cancelling ends it with its period although an end far ahead is set", async () => {
  const buyer = await openBuyer("price_csv_only_monthly");
  const end = (await buyer.atStripe()).items.data[0]?.current_period_end ?? 0;
  await billing.stripe.subscriptions.update(buyer.id, { cancel_at: end + 300 * 86_400 });
  expect(await buyer.ask(CANCEL)).toEqual({ ok: true });
  expect((await buyer.atStripe()).cancel_at).toBe(end);
});

test("a trial outlives a change at its end", async () => {
  const buyer = await openBuyer(LARGE_YEARLY);
  const trialEnd = Math.floor(Date.now() / 1000) + 10 * 86_400;
  await billing.stripe.subscriptions.update(buyer.id, { trial_end: trialEnd, proration_behavior: "none" });
  expect(await buyer.ask(changeTo("price_csv_only_yearly"))).toEqual({ ok: true });
  const { schedule } = await buyer.atStripe();
  expect(schedule).toMatchObject({ phases: [{ trial_end: trialEnd, end_date: trialEnd }, {}] });
});

test("a period that began after now, by Stripe's clock: the whole difference is due, and charged", async () => {
  const app = appWith();
  const { userId, customer, subscription, sync } = await openCustomer("price_csv_only_yearly");
  const now = new Date();
  const inThirteenMonths = Math.floor(now.getTime() / 1000) + 395 * 24 * 60 * 60;
  await fetch(`${billing.sandbox.origin}/sandbox/stripe/control/clocks`, {
    method: "POST",
    body: JSON.stringify({ customer, frozen_time: inThirteenMonths }),
  });
  await sync();

  const present = await findSubscribedPlan(app, userId);
  const option = present?.options.find(({ price }) => price.id === "price_csv_banking_yearly");
  if (!present || !option) throw new Error("there is nothing to change to");
  const stripeApp = { ...app, stripe: billing.stripe };
  expect(await reviewChange(stripeApp, present.plan, option, now, null)).toMatchObject({
    due: 4999 - 2999,
    taken: { price: 4999, left: 2999 },
  });

  const request = { kind: "change", priceId: option.price.id, prorationDate: now } as const;
  expect(await requestPlanChange(app, userId, request)).toEqual({ ok: true });
  const { data: invoices } = await billing.stripe.invoices.list({ subscription, limit: 1 });
  expect(invoices[0]).toMatchObject({ amount_paid: 4999 - 2999, billing_reason: "subscription_update" });
});
