import { afterAll, beforeAll, expect, test } from "vitest";
import { eventsOf, openCheckout, press, startTestSandbox } from "../../testing/stripe.ts";

let running: Awaited<ReturnType<typeof startTestSandbox>>;
beforeAll(async () => {
  running = await startTestSandbox();
});
afterAll(() => running.close());

test("the page says what is bought, for whom, for how much, and that no money moves", async () => {
  const { stripe } = running;
  const { url } = await openCheckout(stripe);
  const page = await fetch(url);
  expect(page.status).toBe(200);
  expect(page.headers.get("content-security-policy")).toContain("form-action 'self' http://shop.example;");
  const text = (await page.text()).replace(/<style>.*<\/style>|<[^>]*>/gs, " ").replace(/\s+/g, " ");
  expect(text).toContain("No money moves here");
  expect(text).toContain("Subscribe to CSV + Banking");
  expect(text).toContain("$49.99 per year");
  expect(text).toContain("Total due today $49.99");
  expect(text).toContain("For ada@example.com");
  expect(text).toContain("Pay $49.99 Cancel and go back Test cards");
});

test("the seller's own words stand beside the button, as text and of a length that Stripe takes", async () => {
  const { stripe } = running;
  const { customer } = await openCheckout(stripe);
  const open = (message: string) =>
    stripe.checkout.sessions.create({
      mode: "subscription",
      customer,
      line_items: [{ price: "price_csv_banking_yearly", quantity: 1 }],
      success_url: "http://shop.example/dashboard",
      custom_text: { submit: { message } },
    });
  const session = await open("Founding <b>price</b>.");
  expect(session.custom_text.submit).toEqual({ message: "Founding <b>price</b>." });
  expect(await (await fetch(session.url ?? "")).text()).toContain(
    "<p>Founding &#60;b&#62;price&#60;/b&#62;.</p>",
  );
  await expect(open("x".repeat(1201))).rejects.toMatchObject({ param: "custom_text[submit][message]" });
});

test("names are shown as text, never as markup", async () => {
  const { stripe } = running;
  const { id: product } = await stripe.products.create({ name: `<img src="x"> & 'co'` });
  const recurring = { interval: "month", interval_count: 3 } as const;
  const price = await stripe.prices.create({ product, currency: "jpy", unit_amount: 500, recurring });
  const { url } = await openCheckout(stripe, price.id);
  const markup = await (await fetch(url)).text();
  expect(markup).not.toContain("<img");
  expect(markup).toContain("&#60;img src=&#34;x&#34;&#62; &#38; &#39;co&#39;");
  expect(markup).toContain("¥500 per 3 months");
});

test("the way back leaves the session open", async () => {
  const { stripe } = running;
  const { id, url, customer } = await openCheckout(stripe);
  const canceled = await press(url, "cancel");
  expect(canceled.status).toBe(303);
  expect(canceled.headers.get("location")).toBe("http://shop.example/subscription");

  expect(await stripe.checkout.sessions.retrieve(id)).toMatchObject({ status: "open", subscription: null });
  expect((await stripe.subscriptions.list({ customer })).data).toEqual([]);
});

test("paying many times at once makes one subscription", async () => {
  const { stripe } = running;
  const { id, url, customer } = await openCheckout(stripe);
  const answers = await Promise.all(Array.from({ length: 8 }, () => press(url, "pay")));
  for (const answer of answers) {
    expect(answer.status).toBe(303);
    expect(answer.headers.get("location")).toBe(`http://shop.example/dashboard?session=${id}`);
  }
  const { data } = await stripe.subscriptions.list({ customer, status: "all" });
  expect(data).toHaveLength(1);
  expect(await stripe.checkout.sessions.retrieve(id)).toMatchObject({ subscription: data[0]?.id });
  const events = await eventsOf(stripe, "checkout.session.completed");
  expect(events.filter((event) => JSON.stringify(event.data.object).includes(id))).toHaveLength(1);

  const page = await fetch(url);
  expect(page.status).toBe(200);
  expect(await page.text()).toContain("<h1>Already paid</h1>");
});

test("an expired session cannot be paid, nor expired again", async () => {
  const { stripe } = running;
  const { id, url, customer } = await openCheckout(stripe);
  expect(await stripe.checkout.sessions.expire(id)).toMatchObject({ status: "expired", url: null });

  const refused = await press(url, "pay");
  expect(refused.status).toBe(410);
  expect(await refused.text()).toContain('href="http://shop.example/subscription"');
  expect((await stripe.subscriptions.list({ customer, status: "all" })).data).toEqual([]);
  await expect(stripe.checkout.sessions.expire(id)).rejects.toMatchObject({
    statusCode: 400,
    message: expect.stringContaining("has a status of `expired`"),
  });
});

test("a session past its time is expired for everyone who looks, and told once", async () => {
  const { stripe, pool } = running;
  const { id, url, customer } = await openCheckout(stripe);
  await pool.query(`UPDATE sandbox_stripe.objects SET object = object || '{"expires_at": 1}' WHERE id = $1`, [
    id,
  ]);
  const looks = [fetch(url), press(url, "pay"), press(url, "pay")];
  expect((await Promise.all(looks)).map(({ status }) => status)).toEqual([410, 410, 410]);
  expect((await stripe.checkout.sessions.list({ customer, status: "expired" })).data).toMatchObject([{ id }]);
  const events = await eventsOf(stripe, "checkout.session.expired");
  expect(events.filter((event) => JSON.stringify(event.data.object).includes(id))).toHaveLength(1);
});

test("deleting a customer ends the subscription and closes the open checkout", async () => {
  const { stripe } = running;
  const { customer, url } = await openCheckout(stripe);
  await press(url, "pay");
  const line_items = [{ price: "price_csv_only_monthly", quantity: 1 }];
  const success_url = "http://shop.example/";
  const fields = { mode: "subscription", customer, line_items, success_url } as const;
  const second = await stripe.checkout.sessions.create(fields);
  await stripe.customers.del(customer);
  expect((await stripe.subscriptions.list({ customer, status: "all" })).data).toMatchObject([
    { status: "canceled" },
  ]);
  expect((await press(second.url ?? "", "pay")).status).toBe(410);
});

test("only what can be sold is put on the page", async () => {
  const { stripe } = running;
  const { customer } = await openCheckout(stripe);
  const sold = { mode: "subscription", success_url: "http://shop.example/" } as const;
  const price = await stripe.prices.create({ product: "prod_csv_only", currency: "usd", unit_amount: 1 });
  const line_items = [{ price: price.id, quantity: 1 }];
  const create = stripe.checkout.sessions.create.bind(stripe.checkout.sessions);
  await expect(create({ ...sold, customer, line_items })).rejects.toThrow(
    "only accepts prices with `type=recurring`",
  );
  await stripe.prices.update(price.id, { active: false });
  await expect(create({ ...sold, customer, line_items })).rejects.toThrow("The price specified is inactive.");
  await expect(
    create({ ...sold, customer, line_items: [{ price: "price_none", quantity: 1 }] }),
  ).rejects.toMatchObject({ statusCode: 400, code: "resource_missing", param: "line_items[0][price]" });
  await expect(create({ ...sold, customer: "cus_none", line_items })).rejects.toMatchObject({
    statusCode: 400,
    message: "No such customer: 'cus_none'",
  });
  const two = [{ price: "price_csv_only_monthly", quantity: 1 }, ...line_items];
  await expect(create({ ...sold, customer, line_items: two })).rejects.toMatchObject({ param: "line_items" });
});

test("an address that leads nowhere has a page of its own", async () => {
  const { origin } = running;
  for (const path of ["cs_test_none", "cs_test_none/pay", "cs_test_none/constructor", "%00"]) {
    const method = path.endsWith("/pay") ? "POST" : "GET";
    const answer = await fetch(`${origin}/sandbox/stripe/checkout/${path}`, { method });
    expect(answer.status).toBe(404);
    expect(await answer.text()).toContain("There is nothing here");
  }
  const wrongMethod = await fetch(`${origin}/sandbox/stripe/checkout/cs_test_none/pay`);
  expect([wrongMethod.status, wrongMethod.headers.get("allow")]).toEqual([405, "POST"]);
});

test("what was typed is shown again with what is wrong with it", async () => {
  const { stripe } = running;
  const { url } = await openCheckout(stripe);
  for (const [fields, message] of [
    [{ number: "4242 4242 4242 4241" }, "Your card number is incorrect."],
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

test.each(["4000002500003155", "4000002760003184"])(
  "%s pays: the page takes its authentication for granted",
  async (number) => {
    const { stripe } = running;
    const { id, url, customer } = await openCheckout(stripe, "price_csv_only_monthly");
    const paid = await press(url, "pay", { number });
    expect(paid.headers.get("location")).toBe(`http://shop.example/dashboard?session=${id}`);
    expect((await stripe.subscriptions.list({ customer })).data).toMatchObject([{ status: "active" }]);
    expect((await stripe.invoices.list({ customer })).data).toMatchObject([
      { status: "paid", amount_paid: 299 },
    ]);
  },
);

test("what no database can hold is left out", async () => {
  const { stripe, origin } = running;
  const { url, customer } = await openCheckout(stripe);
  expect((await press(url, "pay", { name: "Ada\0" })).status).toBe(303);
  expect(await stripe.customers.retrieve(customer)).toMatchObject({ name: "Ada" });
  const control = `${origin}/sandbox/stripe/control/disputes`;
  const refused = await fetch(control, { method: "POST", body: JSON.stringify({ charge: "ch_\0" }) });
  expect(refused.status).toBe(400);
});
