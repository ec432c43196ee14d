import { afterAll, beforeAll, expect, test } from "vitest";
import { openCheckout, press, startTestSandbox } from "../../testing/stripe.ts";
import { customerOnClock, DAY, START } from "../clocks/clock.fixture.ts";

let running: Awaited<ReturnType<typeof startTestSandbox>>;
beforeAll(async () => {
  running = await startTestSandbox();
});
afterAll(() => running.close());

test("what was typed is shown again with what is wrong with it", async () => {
  const { stripe } = running;
  const { url } = await openCheckout(stripe);
  for (const [fields, message] of [
    [{ number: "4242 4242 4242 4241" }, "Your card number is incorrect."],
    [{ number: "4111 1111 1111 1111" }, "used a non test card"],
    [{ expiry: "12 / 20" }, "expiration year is invalid"],
    [{ expiry: "soon" }, "expiration date is incomplete"],
    [{ cvc: "1" }, "security code is invalid"],
    [{ number: "4000000000009995" }, "insufficient funds"],
    [{ number: "4000000000000341" }, "Your card was declined."],
  ] as const) {
    const answer = await press(url, "pay", fields);
    const text = await answer.text();
    expect([answer.status, text.includes(message)]).toEqual([402, true]);
  }
  const chosen = await (await fetch(`${url}?number=4000000000000002`)).text();
  expect(chosen).toContain('value="4000 0000 0000 0002"');
});

test("a card that needs authentication pays once its holder has confirmed at the bank", async () => {
  const { stripe } = running;
  const { id, url, customer } = await openCheckout(stripe, "price_csv_only_monthly");
  const asked = await press(url, "pay", { number: "4000002500003155" });
  const bank = asked.headers.get("location") ?? "";
  expect(bank).toContain(`${url}/authenticate/pm_`);
  const page = await fetch(bank);
  expect(await page.text()).toContain("Complete authentication");
  expect(page.headers.get("content-security-policy")).toContain("form-action 'self' http://shop.example;");

  const failed = await press(bank, "", { result: "failed" });
  expect(failed.status).toBe(402);
  expect(await failed.text()).toContain("We are unable to authenticate your payment method.");
  expect(await stripe.checkout.sessions.retrieve(id)).toMatchObject({ status: "open" });

  const paid = await press(bank, "", { result: "succeeded" });
  expect(paid.headers.get("location")).toBe(`http://shop.example/dashboard?session=${id}`);
  expect((await stripe.subscriptions.list({ customer })).data).toMatchObject([{ status: "active" }]);
  expect((await stripe.invoices.list({ customer })).data).toMatchObject([
    { status: "paid", amount_paid: 299 },
  ]);
});

test("what no database can hold is left out", async () => {
  const { stripe, origin } = running;
  const { url, customer } = await openCheckout(stripe);
  expect((await press(url, "pay", { name: "Ada\0" })).status).toBe(303);
  expect(await stripe.customers.retrieve(customer)).toMatchObject({ name: "Ada" });
  const control = `${origin}/sandbox/stripe/control/disputes`;
  const refused = await fetch(control, { method: "POST", body: JSON.stringify({ charge: "ch_\0" }) });
  expect(refused.status).toBe(400);
});

test("what was bought on a test clock renews with its card, until the card wants its holder", async () => {
  const { stripe } = running;
  const { customer, advance } = await customerOnClock(stripe);
  const session = await stripe.checkout.sessions.create({
    mode: "subscription",
    customer: customer.id,
    line_items: [{ price: "price_csv_only_monthly", quantity: 1 }],
    success_url: "http://shop.example/",
  });
  const bank = (await press(session.url ?? "", "pay", { number: "4000 0025 0000 3155" })).headers;
  await press(bank.get("location") ?? "", "", { result: "succeeded" });
  const bought = await only();
  await advance(START + 30 * DAY);
  expect(await only()).toMatchObject({
    status: "active",
    latest_invoice: { status: "paid", amount_paid: 299 },
  });

  const strict = await stripe.paymentMethods.attach("pm_card_authenticationRequired", {
    customer: customer.id,
  });
  await stripe.subscriptions.update(bought.id, { default_payment_method: strict.id });
  await advance(START + 60 * DAY);
  const late = await only();
  expect(late).toMatchObject({ status: "past_due", latest_invoice: { status: "open" } });
  const [waiting] = (await stripe.paymentIntents.list({ customer: customer.id })).data;
  expect(waiting?.status).toBe("requires_action");
  await press(waiting?.next_action?.redirect_to_url?.url ?? "", "", { result: "succeeded" });
  expect(await only()).toMatchObject({ status: "active", latest_invoice: { status: "paid" } });

  async function only() {
    const of = { customer: customer.id, expand: ["data.latest_invoice"] };
    const [subscription, ...more] = (await stripe.subscriptions.list(of)).data;
    if (!subscription || more.length > 0) throw new Error("There is not exactly one subscription");
    return subscription;
  }
});
