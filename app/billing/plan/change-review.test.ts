import { afterAll, beforeAll, expect, test } from "vitest";
import { askForPlan } from "./ask.server.ts";
import { findPresentPlan, reviewChange } from "./change-review.server.ts";
import { openPlans } from "./plan.fixture.ts";

let plans: Awaited<ReturnType<typeof openPlans>>;

beforeAll(async () => {
  plans = await openPlans();
});
afterAll(() => plans.close());

test("a period that began after now, by Stripe's clock: the whole difference is due, and charged", async () => {
  const app = plans.appWith();
  const { userId, customer, subscription, sync } = await plans.openCustomer("price_csv_only_yearly");
  const now = new Date();
  const inThirteenMonths = Math.floor(now.getTime() / 1000) + 395 * 24 * 60 * 60;
  await fetch(`${plans.sandbox.origin}/sandbox/stripe/control/clocks`, {
    method: "POST",
    body: JSON.stringify({ customer, frozen_time: inThirteenMonths }),
  });
  await sync();

  const present = await findPresentPlan(app, userId);
  const option = present?.options.find(({ price }) => price.id === "price_csv_banking_yearly");
  if (!present || !option) throw new Error("there is nothing to change to");
  expect(await reviewChange(plans.stripe, present, option, now, null)).toMatchObject({ due: 4999 - 2999 });

  const wish = { kind: "change", priceId: option.price.id, prorationDate: now } as const;
  expect(await askForPlan(app, userId, wish)).toEqual({ ok: true });
  const { data: invoices } = await plans.stripe.invoices.list({ subscription, limit: 1 });
  expect(invoices[0]).toMatchObject({ amount_paid: 4999 - 2999, billing_reason: "subscription_update" });
});
