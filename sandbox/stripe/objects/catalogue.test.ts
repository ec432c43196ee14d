import type Stripe from "stripe";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventsOf, startTestSandbox } from "../../testing/stripe.ts";

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
  const [deleted] = await eventsOf(stripe, "product.deleted");
  expect(deleted?.data.object).toMatchObject({ id, name: "Mistake" });
  await expect(stripe.products.del("prod_csv_only")).rejects.toMatchObject({
    statusCode: 400,
    message: expect.stringContaining("has one or more user-created prices"),
  });
});

test("prices are found by key and currency", async () => {
  const { stripe } = running;
  const product = "prod_csv_only";
  const create = (fields: Partial<Stripe.PriceCreateParams>) =>
    stripe.prices.create({ product, currency: "chf", unit_amount: 1, ...fields });
  const once = await create({ lookup_key: "once" });
  const weekly = await create({ lookup_key: "weekly", recurring: { interval: "week" } });
  const idsOf = async (params: Stripe.PriceListParams) =>
    (await stripe.prices.list(params)).data.map(({ id }) => id);
  expect(await idsOf({ lookup_keys: ["once", "weekly", "none"] })).toEqual([weekly.id, once.id]);
  expect(await idsOf({ currency: "CHF" })).toEqual([weekly.id, once.id]);
  const { data } = await stripe.prices.list({ lookup_keys: ["once"], expand: ["data.product"] });
  expect(data[0]?.product).toMatchObject({ name: "CSV Only" });
});
