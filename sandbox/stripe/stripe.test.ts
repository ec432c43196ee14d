import { readFileSync } from "node:fs";
import { join } from "node:path";
import Stripe from "stripe";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connectStripe, eventsOf, startTestSandbox } from "../testing/stripe.ts";
import { ENDPOINTS } from "./api/endpoints.ts";
import { openOwnPort, openStripeSandbox } from "./stripe.ts";

let running: Awaited<ReturnType<typeof startTestSandbox>>;
beforeAll(async () => {
  running = await startTestSandbox();
});
afterAll(() => running.close());

test("a customer checks out, pays on the page, and the webhook hears of an active subscription", async () => {
  const { stripe, origin, webhook } = running;
  const customer = await stripe.customers.create({ email: "ada@example.com", metadata: { userId: "u1" } });
  const session = await stripe.checkout.sessions.create({
    mode: "subscription",
    customer: customer.id,
    line_items: [{ price: "price_csv_banking_yearly", quantity: 1 }],
    success_url: `${origin}/dashboard?session={CHECKOUT_SESSION_ID}`,
    cancel_url: `${origin}/subscription`,
    client_reference_id: "u1",
    subscription_data: { metadata: { userId: "u1" } },
  });
  expect(session).toMatchObject({ status: "open", amount_total: 4999 });
  expect(session.url).toBe(`${origin}/sandbox/stripe/checkout/${session.id}`);

  const paid = await fetch(`${session.url}/pay`, { method: "POST", redirect: "manual" });
  expect(paid.status).toBe(303);
  expect(paid.headers.get("location")).toBe(`${origin}/dashboard?session=${session.id}`);

  const { data } = await stripe.subscriptions.list({
    customer: customer.id,
    expand: ["data.items.data.price.product"],
  });
  const [subscription] = data;
  expect(subscription).toMatchObject({
    status: "active",
    metadata: { userId: "u1" },
    latest_invoice: expect.stringMatching(/^in_/),
    items: { data: [{ quantity: 1, price: { product: { name: "CSV + Banking" } } }] },
  });
  const expected = ["customer.created", "customer.subscription.created", "checkout.session.completed"];
  await expect.poll(typesReceived).toEqual(expect.arrayContaining(expected));
  const event = webhook.received.find(({ type }) => type === "customer.subscription.created");
  expect(event).toMatchObject({ api_version: Stripe.API_VERSION, livemode: false, request: null });
  expect(event?.data.object).toMatchObject({ id: subscription?.id, status: "active" });

  const complete = await stripe.checkout.sessions.retrieve(session.id, {
    expand: ["customer"],
  });
  expect(complete).toMatchObject({
    status: "complete",
    url: null,
    subscription: subscription?.id,
    customer: { email: "ada@example.com" },
  });
});

function typesReceived(): string[] {
  return running.webhook.received.map(({ type }) => type);
}

test("several processes can open an empty database at once", async () => {
  const empty = await startTestSandbox();
  // Its background work would be in the tables that go.
  await empty.sandbox.close();
  await empty.pool.query("DROP SCHEMA sandbox_stripe CASCADE");
  const processes = await Promise.all(Array.from({ length: 4 }, () => openStripeSandbox(empty.options)));
  for (const each of processes) each.start();
  await Promise.all(processes.map((each) => each.close()));
  const { data } = await empty.stripe.events.list({ limit: 100 });
  expect(data.filter(({ type }) => type === "price.created")).toHaveLength(4);
  await empty.close();
});

test("a list is paged from the newest to the oldest", async () => {
  const { stripe } = running;
  for (let n = 1; n <= 5; n += 1) {
    await stripe.prices.create({
      product: "prod_csv_only",
      currency: "usd",
      unit_amount: n,
      recurring: { interval: "week" },
    });
  }
  const first = await stripe.prices.list({ limit: 2 });
  expect(first.has_more).toBe(true);
  expect(first.data.map(({ unit_amount }) => unit_amount)).toEqual([5, 4]);

  const all = await stripe.prices.list({ limit: 2 }).autoPagingToArray({ limit: 100 });
  expect(all.map(({ unit_amount }) => unit_amount)).toEqual([5, 4, 3, 2, 1, 4999, 499, 2999, 299]);
  expect(all[0]?.unit_amount_decimal?.toString()).toBe("5");
});

test("an update changes what it names, merges metadata and tells what was before", async () => {
  const { stripe } = running;
  const product = await stripe.products.create({ name: "Lifetime", metadata: { tier: "basic", old: "1" } });
  const changes = { name: "For life", active: false, description: "", metadata: { old: "", new: "2" } };
  expect(await stripe.products.update(product.id, changes)).toMatchObject({
    name: "For life",
    active: false,
    metadata: { tier: "basic", new: "2" },
  });
  const [updated] = await eventsOf(stripe, "product.updated");
  expect(updated?.data.previous_attributes).toMatchObject({
    name: "Lifetime",
    active: true,
    metadata: { tier: "basic", old: "1" },
  });
  const active = await stripe.products.list({ active: true });
  expect(active.data.map(({ id }) => id)).toEqual(["prod_csv_banking", "prod_csv_only"]);
});

test("a lookup key belongs to one price", async () => {
  const { stripe } = running;
  const fields = { product: "prod_csv_only", currency: "usd", unit_amount: 1, lookup_key: "basic_monthly" };
  const first = await stripe.prices.create(fields);
  await expect(stripe.prices.create(fields)).rejects.toThrow(`\`${first.id}\`) already uses that lookup key`);
  await stripe.prices.update(first.id, { active: false, lookup_key: "" });
  const second = await stripe.prices.create(fields);
  const found = await stripe.prices.list({ lookup_keys: ["basic_monthly", "none"], currency: "usd" });
  expect(found.data.map(({ id }) => id)).toEqual([second.id]);
});

test("a customer can be found by address, changed and deleted", async () => {
  const { stripe } = running;
  const { id } = await stripe.customers.create({ email: "grace@example.com", name: "Grace" });
  await stripe.customers.update(id, { name: "Grace Hopper" });
  const found = await stripe.customers.list({ email: "grace@example.com" });
  expect(found.data).toMatchObject([{ id, name: "Grace Hopper" }]);

  expect(await stripe.customers.del(id)).toEqual({ id, object: "customer", deleted: true });
  expect(await stripe.customers.retrieve(id)).toMatchObject({ deleted: true });
  expect((await stripe.customers.list({ email: "grace@example.com" })).data).toEqual([]);
});

test("a wrong request is refused as Stripe refuses it", async () => {
  const { stripe, origin } = running;
  await expect(connectStripe(origin, "sk_test_wrong").customers.list()).rejects.toMatchObject({
    type: "StripeAuthenticationError",
    statusCode: 401,
    message: "Invalid API Key provided: ********rong",
  });
  await expect(stripe.customers.retrieve("cus_none")).rejects.toMatchObject({
    statusCode: 404,
    code: "resource_missing",
    message: "No such customer: 'cus_none'",
  });
  await expect(stripe.prices.list({ limit: 101 })).rejects.toMatchObject({ statusCode: 400, param: "limit" });
  await expect(stripe.customers.create({ name: "x".repeat(70_000) })).rejects.toMatchObject({
    statusCode: 413,
  });
});

test("what the sandbox does not have is answered 501, and named", async () => {
  const { stripe } = running;
  const rate = { display_name: "VAT", inclusive: true, percentage: 19 };
  await expect(stripe.taxRates.create(rate)).rejects.toMatchObject({
    statusCode: 501,
    code: "not_in_sandbox",
    rawType: "invalid_request_error",
    message: "POST /v1/tax_rates is not part of the Stripe sandbox; its README says what is.",
  });
  await expect(stripe.v2.core.accounts.create({})).rejects.toThrow("POST /v2/core/accounts is not part of");
  await expect(stripe.customers.search({ query: "email:'a@b.example'" })).rejects.toThrow(
    "GET /v1/customers/search is not part of",
  );
  await expect(stripe.prices.list({ limit: 1, expand: ["data.tiers"] })).rejects.toThrow(
    "expand[]=data.tiers is not part of",
  );
});

test("so is a parameter, and its idempotency key stays unused", async () => {
  const { stripe } = running;
  const options = { idempotencyKey: "unsupported-parameter" };
  await expect(stripe.customers.create({ tax_exempt: "exempt" }, options)).rejects.toMatchObject({
    statusCode: 501,
    message: expect.stringMatching(/^tax_exempt of POST \/v1\/customers is not part of the Stripe sandbox/),
  });
  await expect(stripe.customers.create({}, options)).resolves.toMatchObject({ object: "customer" });
  const { id: customer } = await stripe.customers.create();
  const session = { mode: "subscription", customer, success_url: "http://shop.example/" } as const;
  const price_data = { currency: "usd", product: "prod_csv_only", unit_amount: 1 };
  await expect(
    stripe.checkout.sessions.create({ ...session, line_items: [{ quantity: 1, price_data }] }),
  ).rejects.toThrow("line_items[0][price_data] of POST ");
});

test("the README claims every endpoint, and no other", () => {
  const readme = readFileSync(join(import.meta.dirname, "README.md"), "utf8");
  const rows = readme.matchAll(/^\| `(\/v1\/[^`]+)` +\| ((?:GET|POST|DELETE|, )+) +\|/gm);
  const claimed = Array.from(rows, ([, path, methods = ""]) =>
    methods.split(", ").map((method) => `${method} ${path}`),
  );
  expect(claimed.flat().sort()).toEqual(ENDPOINTS.map(([method, path]) => `${method} ${path}`).sort());
});

test("a product is deleted while it has no price, and its event tells what it was", async () => {
  const { stripe } = running;
  const { id } = await stripe.products.create({ name: "Mistake" });
  expect(await stripe.products.del(id)).toEqual({ id, object: "product", deleted: true });
  await expect(stripe.products.retrieve(id)).rejects.toMatchObject({ statusCode: 404 });
  const [deleted] = await eventsOf(stripe, "product.deleted");
  expect(deleted?.data.object).toMatchObject({ id, name: "Mistake" });
  await expect(stripe.products.del("prod_csv_only")).rejects.toMatchObject({
    statusCode: 400,
    message: expect.stringContaining("has one or more user-created prices"),
  });
});

const open = (port: number) => openOwnPort({ port, handleApi: running.sandbox.handleApi, log: () => {} });

test("the SDK reaches it by host and port alone; pages and knobs stay with the site", async () => {
  const own = await open(0);
  const stripe = connectStripe(own.origin);
  const { id } = await stripe.customers.create({ name: "Ada" });
  expect(await running.stripe.customers.retrieve(id)).toMatchObject({ name: "Ada" });
  for (const path of ["/", "/sandbox/stripe/control", "/sandbox/stripe/v1/prices", "/v3/prices"])
    expect((await fetch(own.origin + path)).status).toBe(404);
  expect((await fetch(`${own.origin}/v1/prices`)).status).toBe(401);
  const second = await open(Number(new URL(own.origin).port));
  expect(second.origin).not.toBe(own.origin);
  await Promise.all([own.close(), second.close()]);
  await expect(stripe.customers.retrieve(id)).rejects.toMatchObject({ type: "StripeConnectionError" });
});
