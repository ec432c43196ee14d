import type Stripe from "stripe";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openCheckout, press, startTestSandbox } from "../stripe.fixture.ts";

const RETURN_URL = "http://shop.example/dashboard";

let running: Awaited<ReturnType<typeof startTestSandbox>>;
beforeAll(async () => {
  running = await startTestSandbox();
});
afterAll(() => running.close());

/** A customer who has paid for a plan, and a session of the portal for them. */
async function openPortal(fields: Partial<Stripe.BillingPortal.SessionCreateParams> = {}, plan?: string) {
  const { stripe } = running;
  const { customer, url } = await openCheckout(stripe, plan);
  await press(url, "pay");
  const { data } = await stripe.subscriptions.list({ customer });
  const [subscription] = data;
  if (!subscription) throw new Error("Paying started no subscription");
  const session = await stripe.billingPortal.sessions.create({
    customer,
    return_url: RETURN_URL,
    ...fields,
  });
  return { customer, subscription, session, url: session.url };
}

function post(url: string, fields: Record<string, string> = {}): Promise<Response> {
  return fetch(url, { method: "POST", redirect: "manual", body: new URLSearchParams(fields) });
}

/** What a page says, without its markup. */
async function textOf(page: Response | Promise<Response>): Promise<string> {
  const markup = await (await page).text();
  return markup.replace(/<style>.*<\/style>|<[^>]*>/gs, " ").replace(/\s+/g, " ");
}

const CARD = { number: "4242 4242 4242 4242", expiry: "12 / 34", cvc: "123" };

test("the first page shows plan, cards, billing details and invoices, and the way back", async () => {
  const { url } = await openPortal();
  const page = await fetch(url);
  expect(page.status).toBe(200);
  expect(page.headers.get("content-security-policy")).toContain("form-action 'self' http://shop.example;");
  const markup = await page.clone().text();
  expect(markup).toContain(`<a href="${RETURN_URL}">← Return to the site</a>`);
  expect(markup).not.toContain("<script");
  const text = await textOf(page);
  expect(text).toContain("CSV + Banking $49.99 per year Renews on ");
  expect(text).toContain("Visa ending in 4242");
  expect(text).toContain("ada@example.com Change billing details");
  expect(text).toMatch(/Invoices .* \$49\.99 · Paid/);
});

test("a card that was typed is saved and is the default", async () => {
  const { stripe } = running;
  const { customer, url } = await openPortal();
  const saved = await post(`${url}/card`, { ...CARD, number: "5555555555554444" });
  expect([saved.status, saved.headers.get("location")?.endsWith("/home?done=card")]).toEqual([303, true]);
  const { data } = await stripe.customers.listPaymentMethods(customer);
  expect(data[0]?.card).toMatchObject({ brand: "mastercard", last4: "4444", exp_month: 12, exp_year: 2034 });
  const account = (await stripe.customers.retrieve(customer)) as Stripe.Customer;
  expect(account.invoice_settings.default_payment_method).toBe(data[0]?.id);
  expect(await textOf(fetch(`${url}/home?done=card`))).toContain("Mastercard ending in 4444 Default");

  const [, before] = data;
  await post(`${url}/card/${before?.id}/default`);
  const changed = (await stripe.customers.retrieve(customer)) as Stripe.Customer;
  expect(changed.invoice_settings.default_payment_method).toBe(before?.id);
  await post(`${url}/card/${data[0]?.id}/remove`);
  expect((await stripe.customers.listPaymentMethods(customer)).data.map(({ id }) => id)).toEqual([
    before?.id,
  ]);
});

test.each<[Partial<typeof CARD>, number, string]>([
  [{ number: "4000000000000002" }, 402, "Your card was declined."],
  [{ number: "4242424242424241" }, 402, "Your card number is incorrect."],
  [{ expiry: "13/34" }, 402, "Your card&#39;s expiration month is invalid."],
  [{ expiry: "soon" }, 402, "Your card&#39;s expiration date is incomplete."],
  [{ number: "" }, 402, "Your card number is incorrect."],
])("a card that cannot be saved, %o, is refused beside what was typed", async (typed, status, message) => {
  const { customer, url } = await openPortal();
  const refused = await post(`${url}/card`, { ...CARD, ...typed });
  expect(refused.status).toBe(status);
  const markup = await refused.text();
  expect(markup).toMatch(new RegExp(`role="alert">[^<]*${message}`));
  expect(markup).toContain(`value="${typed.expiry ?? CARD.expiry}"`);
  expect(markup).not.toContain("123");
  expect((await running.stripe.customers.listPaymentMethods(customer)).data).toHaveLength(1);
});

test("a card that its bank asks about is saved once its holder has confirmed", async () => {
  const { stripe } = running;
  const { customer, url } = await openPortal();
  const typed = { ...CARD, number: "4000 0025 0000 3155" };
  const bank = (await post(`${url}/card`, typed)).headers.get("location") ?? "";
  expect(bank).toContain("/sandbox/stripe/authenticate/seti_");
  const failed = (await post(bank, { result: "failed" })).headers.get("location") ?? "";
  expect(failed).toMatch(/\/card\/authenticated\?setup_intent=seti_/);
  expect(await textOf(fetch(failed))).toContain("authentication failed");
  expect((await stripe.customers.listPaymentMethods(customer)).data).toHaveLength(1);

  const again = (await post(`${url}/card`, typed)).headers.get("location") ?? "";
  const confirmed = (await post(again, { result: "succeeded" })).headers.get("location") ?? "";
  const saved = await fetch(confirmed, { redirect: "manual" });
  expect(saved.headers.get("location")).toMatch(/\/home\?done=card$/);
  const { data } = await stripe.customers.listPaymentMethods(customer);
  expect(data[0]?.card?.last4).toBe("3155");
  const theirs = await openPortal();
  const intent = new URL(confirmed).searchParams.get("setup_intent");
  expect((await fetch(`${theirs.url}/card/authenticated?setup_intent=${intent}`)).status).toBe(404);
});

test("a flow for a card is one page, one press, and back to where the seller says", async () => {
  const flow_data = {
    type: "payment_method_update",
    after_completion: { type: "redirect", redirect: { return_url: "http://shop.example/card-saved" } },
  } as const;
  const { url, session } = await openPortal({ flow_data });
  expect(session.flow).toMatchObject({
    type: "payment_method_update",
    after_completion: { type: "redirect" },
  });
  expect(await textOf(fetch(url))).toContain("Save a card Card Card number");
  const saved = await post(`${url}/card`, CARD);
  expect([saved.status, saved.headers.get("location")]).toEqual([303, "http://shop.example/card-saved"]);
});

test("billing details are changed as far as the configuration allows", async () => {
  const { stripe } = running;
  const { customer, url } = await openPortal();
  const typed = {
    name: "Ada <b>",
    email: "ada@new.example",
    line1: "1 Main St",
    city: "London",
    country: "gb",
  };
  expect((await post(`${url}/details`, typed)).status).toBe(303);
  expect(await stripe.customers.retrieve(customer)).toMatchObject({
    name: "Ada <b>",
    email: "ada@new.example",
    address: { line1: "1 Main St", city: "London", country: "GB" },
  });
  expect(await (await fetch(`${url}/home`)).text()).toContain(">Ada &#60;b&#62;<");
  const refused = await post(`${url}/details`, { ...typed, email: "nobody" });
  expect(refused.status).toBe(400);
  expect(await textOf(refused)).toContain("Invalid email address: nobody");

  const { id: configuration } = await stripe.billingPortal.configurations.create({
    features: { customer_update: { enabled: true, allowed_updates: ["name"] } },
  });
  const other = await openPortal({ configuration });
  await post(`${other.url}/details`, typed);
  expect(await stripe.customers.retrieve(other.customer)).toMatchObject({
    name: "Ada <b>",
    email: "ada@example.com",
    address: null,
  });
  for (const path of ["card", `cancel/${other.subscription.id}`, `change/${other.subscription.id}`])
    expect((await fetch(`${other.url}/${path}`)).status).toBe(404);
});

test("a plan is canceled for the end of its period with a reason, and taken back", async () => {
  const { stripe } = running;
  const { subscription, url } = await openPortal();
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
  const { subscription, url } = await openPortal({ configuration });
  expect(await textOf(fetch(`${url}/cancel/${subscription.id}`))).toContain("Your plan ends at once");
  await post(`${url}/cancel/${subscription.id}`);
  expect(await stripe.subscriptions.retrieve(subscription.id)).toMatchObject({ status: "canceled" });
  expect(await textOf(fetch(url))).toContain("You have no plan at the moment.");
});

test("a larger plan is paid for and had at once, after a look at what is due", async () => {
  const { stripe } = running;
  const { subscription, url } = await openPortal({}, "price_csv_only_monthly");
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
  const { subscription, url } = await openPortal();
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
  const { customer, subscription } = await openPortal({}, "price_csv_only_monthly");
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

test("what belongs to somebody else does not exist", async () => {
  const { stripe } = running;
  const mine = await openPortal();
  const theirs = await openPortal();
  const [card] = (await stripe.customers.listPaymentMethods(theirs.customer)).data;
  for (const path of [
    `card/${card?.id}/remove`,
    `cancel/${theirs.subscription.id}`,
    `keep/${theirs.subscription.id}`,
  ])
    expect((await post(`${mine.url}/${path}`)).status).toBe(404);
  expect((await fetch(`${mine.url}/change/${theirs.subscription.id}`)).status).toBe(404);
  expect(await stripe.subscriptions.retrieve(theirs.subscription.id)).toMatchObject({ cancel_at: null });
  const flow_data = {
    type: "subscription_cancel",
    subscription_cancel: { subscription: theirs.subscription.id },
  } as const;
  await expect(
    stripe.billingPortal.sessions.create({ customer: mine.customer, flow_data }),
  ).rejects.toMatchObject({ statusCode: 400, param: "flow_data[subscription_cancel][subscription]" });
});

test("a session ends five minutes after it was made, or an hour after it was used", async () => {
  const { pool } = running;
  const age = (column: string, id: string, minutes: number) =>
    pool.query(
      `UPDATE sandbox_stripe.portal_visits SET ${column} = now() - make_interval(mins => $2) WHERE session = $1`,
      [id, minutes],
    );
  const unused = await openPortal();
  await age("created_at", unused.session.id, 6);
  const over = await fetch(unused.url);
  expect(over.status).toBe(410);
  expect(await over.text()).toContain(`href="${RETURN_URL}"`);
  expect((await post(`${unused.url}/card`, CARD)).status).toBe(410);

  const used = await openPortal();
  expect((await fetch(used.url)).status).toBe(200);
  await age("created_at", used.session.id, 300);
  await age("visited_at", used.session.id, 59);
  expect((await fetch(used.url)).status).toBe(200);
  await age("visited_at", used.session.id, 61);
  expect((await fetch(used.url)).status).toBe(410);
});

test("an address that leads nowhere has a page of its own", async () => {
  const { url } = await openPortal();
  for (const path of ["/nowhere", "/card/pm_none/remove/it", "/constructor"])
    expect((await fetch(url + path)).status).toBe(404);
  expect(await textOf(fetch(`${running.origin}/sandbox/stripe/portal/bps_none`))).toContain("does not exist");
  expect((await fetch(`${url}/card/authenticated?setup_intent=%00`)).status).toBe(404);
  expect((await post(`${url}/details`, { name: "A\0da", email: "ada@example.com" })).status).toBe(303);
  const wrongMethod = await fetch(`${url}/card`, { method: "DELETE" });
  expect([wrongMethod.status, wrongMethod.headers.get("allow")]).toEqual([405, "GET, POST"]);
});

test("configurations: one is the default, others are made, listed, changed and switched off", async () => {
  const { stripe } = running;
  const configurations = stripe.billingPortal.configurations;
  const [standard] = (await configurations.list({ is_default: true })).data;
  expect(standard).toMatchObject({
    is_default: true,
    active: true,
    features: { invoice_history: { enabled: true } },
  });
  const created = await configurations.create({
    business_profile: { headline: "Own your words" },
    default_return_url: "http://shop.example/account",
    features: {
      subscription_cancel: { enabled: true, mode: "immediately", proration_behavior: "none" },
      subscription_update: {
        enabled: true,
        default_allowed_updates: ["price"],
        products: [{ product: "prod_csv_only", prices: ["price_csv_only_monthly"] }],
      },
    },
  });
  expect(created.features).toMatchObject({
    payment_method_update: { enabled: false },
    subscription_cancel: { enabled: true, mode: "immediately" },
    subscription_update: { products: [{ prices: ["price_csv_only_monthly"] }], proration_behavior: "none" },
  });
  const changed = await configurations.update(created.id, {
    features: { invoice_history: { enabled: true }, subscription_update: { products: "" } },
    metadata: { for: "test" },
  });
  expect(changed).toMatchObject({
    features: { invoice_history: { enabled: true }, subscription_cancel: { enabled: true } },
    metadata: { for: "test" },
  });
  expect(changed.features.subscription_update.products).toBeNull();
  const { session } = await openPortal({ configuration: created.id, return_url: undefined });
  expect(session.return_url).toBe("http://shop.example/account");

  await configurations.update(created.id, { active: false });
  await expect(openPortal({ configuration: created.id })).rejects.toMatchObject({ param: "configuration" });
  await expect(configurations.update(standard?.id ?? "", { active: false })).rejects.toMatchObject({
    statusCode: 400,
  });
  expect(await configurations.retrieve(created.id)).toMatchObject({ active: false });
});
