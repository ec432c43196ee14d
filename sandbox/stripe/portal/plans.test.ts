import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestSandbox } from "../../testing/stripe.ts";
import { openPortal, post, textOf } from "./portal.fixture.ts";

let running: Awaited<ReturnType<typeof startTestSandbox>>;
beforeAll(async () => {
  running = await startTestSandbox();
});
afterAll(() => running.close());

test("a plan is canceled for the end of its period with a reason, and taken back", async () => {
  const { stripe } = running;
  const { subscription, url } = await openPortal(running.stripe);
  const form = await textOf(fetch(`${url}/cancel/${subscription.id}`));
  expect(form).toContain("Why? You don’t have to say. It’s too expensive");
  expect((await post(`${url}/cancel/${subscription.id}`, { reason: "unused" })).status).toBe(303);
  expect(await stripe.subscriptions.retrieve(subscription.id)).toMatchObject({
    cancel_at_period_end: true,
    cancellation_details: { feedback: "unused", reason: "cancellation_requested" },
  });
  expect(await textOf(fetch(url))).toMatch(/Ends on .* Keep this plan/);
  await post(`${url}/keep/${subscription.id}`);
  expect(await stripe.subscriptions.retrieve(subscription.id)).toMatchObject({
    cancel_at_period_end: false,
    cancel_at: null,
  });
});

test("a configuration can end a plan at once", async () => {
  const { stripe } = running;
  const { id: configuration } = await stripe.billingPortal.configurations.create({
    features: { subscription_cancel: { enabled: true, mode: "immediately" } },
  });
  const { subscription, url } = await openPortal(running.stripe, { configuration });
  expect(await textOf(fetch(`${url}/cancel/${subscription.id}`))).toContain("Your plan ends at once");
  await post(`${url}/cancel/${subscription.id}`);
  expect(await stripe.subscriptions.retrieve(subscription.id)).toMatchObject({ status: "canceled" });
  expect(await textOf(fetch(url))).toContain("You have no plan at the moment.");
});

test("a larger plan is paid for and had at once, after a look at what is due", async () => {
  const { stripe } = running;
  const { subscription, url } = await openPortal(running.stripe, {}, "price_csv_only_monthly");
  const change = `${url}/change/${subscription.id}`;
  expect(await textOf(fetch(change))).toMatch(
    /CSV \+ Banking, \$4.99 per month CSV Only, \$29.99 per year CSV \+ Banking, \$49.99 per year Review/,
  );
  const review = await (await fetch(`${change}?price=price_csv_banking_monthly`)).text();
  const [, proration_date = ""] = /name="proration_date" value="(\d+)"/.exec(review) ?? [];
  const [, due = ""] = /Pay (\$\d\.\d\d) and change/.exec(review) ?? [];
  expect(due).toBe("$2.00");
  const changed = await post(change, { price: "price_csv_banking_monthly", proration_date });
  expect(changed.headers.get("location")).toMatch(/\/home\?done=changed$/);
  const now = await stripe.subscriptions.retrieve(subscription.id, { expand: ["latest_invoice"] });
  expect(now).toMatchObject({
    items: { data: [{ price: { id: "price_csv_banking_monthly" } }] },
    latest_invoice: { amount_paid: 200 },
  });
});

test("a smaller plan, or a shorter period, begins when the paid one is over", async () => {
  const { stripe } = running;
  const { subscription, url } = await openPortal(running.stripe);
  const change = `${url}/change/${subscription.id}`;
  for (const price of ["price_csv_only_yearly", "price_csv_banking_monthly"])
    expect(await textOf(fetch(`${change}?price=${price}`))).toContain("Due today $0.00");
  for (const price of ["price_csv_only_yearly", "price_csv_banking_monthly"]) {
    const scheduled = await post(change, { price });
    expect(scheduled.headers.get("location")).toMatch(/done=scheduled$/);
    const { schedule, items } = await stripe.subscriptions.retrieve(subscription.id, {
      expand: ["schedule"],
    });
    expect(items.data[0]?.price.id).toBe("price_csv_banking_yearly");
    expect(schedule).toMatchObject({ end_behavior: "release", phases: [{}, { items: [{ price }] }] });
  }
});

test("a flow to confirm one change begins with what is due", async () => {
  const { stripe } = running;
  const { customer, subscription } = await openPortal(running.stripe, {}, "price_csv_only_monthly");
  const item = { id: subscription.items.data[0]?.id ?? "", price: "price_csv_banking_monthly" };
  const session = await stripe.billingPortal.sessions.create({
    customer,
    flow_data: {
      type: "subscription_update_confirm",
      subscription_update_confirm: { subscription: subscription.id, items: [item] },
      after_completion: {
        type: "hosted_confirmation",
        hosted_confirmation: { custom_message: "Well chosen." },
      },
    },
  });
  expect(await textOf(fetch(session.url))).toContain("Pay $2.00 and change");
  const changed = await post(`${session.url}/change/${subscription.id}`, { price: item.price });
  const confirmed = changed.headers.get("location") ?? "";
  expect(await textOf(fetch(new URL(confirmed, session.url)))).toContain("Thank you Well chosen.");
});
