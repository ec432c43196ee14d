import type Stripe from "stripe";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openCheckout, press, startTestSandbox } from "../../testing/stripe.ts";

let running: Awaited<ReturnType<typeof startTestSandbox>>;
beforeAll(async () => {
  running = await startTestSandbox();
});
afterAll(() => running.close());

test("a product is deleted while it has no price, and its event tells what it was", async () => {
  const { stripe } = running;
  const { id } = await stripe.products.create({ name: "Mistake" });
  expect(await stripe.products.del(id)).toEqual({ id, object: "product", deleted: true });
  await expect(stripe.products.retrieve(id)).rejects.toMatchObject({ statusCode: 404 });
  const { data } = await stripe.events.list({ type: "product.deleted" });
  expect(data[0]?.data.object).toMatchObject({ id, name: "Mistake" });
  await expect(stripe.products.del("prod_csv_only")).rejects.toMatchObject({
    statusCode: 400,
    message: expect.stringContaining("has one or more user-created prices"),
  });
});

test("a product is created with its first price, and with all that pages show of it", async () => {
  const { stripe } = running;
  const product = await stripe.products.create({
    name: "Team",
    images: ["https://shop.example/team.png"],
    marketing_features: [{ name: "Shared" }],
    unit_label: "seat",
    default_price_data: { currency: "EUR", unit_amount: 900, recurring: { interval: "month" } },
    expand: ["default_price"],
  });
  expect(product).toMatchObject({
    images: ["https://shop.example/team.png"],
    marketing_features: [{ name: "Shared" }],
    default_price: { currency: "eur", unit_amount: 900, product: product.id },
  });
  const other = await stripe.prices.create({ product: product.id, currency: "eur", unit_amount: 9_000 });
  expect(await stripe.products.update(product.id, { default_price: other.id, images: "" })).toMatchObject({
    default_price: other.id,
    images: [],
  });
  await expect(
    stripe.products.update(product.id, { default_price: "price_csv_only_yearly" }),
  ).rejects.toMatchObject({ statusCode: 400, param: "default_price" });
  expect((await stripe.products.list({ ids: [product.id, "prod_csv_only"] })).data).toHaveLength(2);
});

test("prices are found by key, currency, type and period", async () => {
  const { stripe } = running;
  const product = "prod_csv_only";
  const create = (fields: Partial<Stripe.PriceCreateParams>) =>
    stripe.prices.create({ product, currency: "chf", unit_amount: 1, ...fields });
  const once = await create({ lookup_key: "once" });
  const weekly = await create({ lookup_key: "weekly", recurring: { interval: "week" } });
  const idsOf = async (params: Stripe.PriceListParams) =>
    (await stripe.prices.list(params)).data.map(({ id }) => id);
  expect(await idsOf({ lookup_keys: ["once", "weekly", "none"] })).toEqual([weekly.id, once.id]);
  expect(await idsOf({ currency: "chf", type: "one_time" })).toEqual([once.id]);
  expect(await idsOf({ currency: "CHF", type: "recurring" })).toEqual([weekly.id]);
  expect(await idsOf({ product, recurring: { interval: "week" } })).toEqual([weekly.id]);
  const { data } = await stripe.prices.list({ lookup_keys: ["once"], expand: ["data.product"] });
  expect(data[0]?.product).toMatchObject({ name: "CSV Only" });
});

test("a key moves from one price to another when that is asked for", async () => {
  const { stripe } = running;
  const fields = { product: "prod_csv_only", currency: "usd", unit_amount: 1, lookup_key: "moving" };
  const first = await stripe.prices.create(fields);
  await expect(stripe.prices.create(fields)).rejects.toThrow("already uses that lookup key");
  const second = await stripe.prices.create({ ...fields, transfer_lookup_key: true });
  expect(second.lookup_key).toBe("moving");
  expect((await stripe.prices.retrieve(first.id)).lookup_key).toBeNull();
});

test("a session is found by its customer and its subscription; its metadata and its lines can be had later", async () => {
  const { stripe } = running;
  const { id, url, customer } = await openCheckout(stripe);
  await press(url, "pay");
  const { subscription } = await stripe.checkout.sessions.retrieve(id);
  const filters = [{ customer }, { subscription: String(subscription) }];
  for (const filter of filters)
    expect((await stripe.checkout.sessions.list(filter)).data).toMatchObject([{ id }]);
  expect((await stripe.checkout.sessions.list({ customer, created: { lt: 1 } })).data).toEqual([]);
  expect(await stripe.checkout.sessions.update(id, { metadata: { seen: "yes" } })).toMatchObject({
    metadata: { seen: "yes" },
  });
  expect((await stripe.checkout.sessions.listLineItems(id)).data).toMatchObject([
    { description: "CSV + Banking", amount_total: 4999, quantity: 1 },
  ]);
});

test("the account can take payments, and its balance is what was paid", async () => {
  const { stripe } = running;
  expect(await stripe.accounts.retrieveCurrent()).toMatchObject({
    object: "account",
    charges_enabled: true,
    details_submitted: true,
    default_currency: "usd",
  });
  const { pending } = await stripe.balance.retrieve();
  expect(pending).toMatchObject([{ currency: "usd", amount: 4999 }]);
});
