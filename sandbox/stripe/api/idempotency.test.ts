import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestSandbox } from "../../testing/stripe.ts";

let running: Awaited<ReturnType<typeof startTestSandbox>>;
beforeAll(async () => {
  running = await startTestSandbox();
});
afterAll(() => running.close());

test("a key used again replays the first answer", async () => {
  const { stripe } = running;
  const create = () => stripe.customers.create({ email: "ada@example.com" }, { idempotencyKey: "replay" });
  const first = await create();
  await stripe.customers.update(first.id, { name: "Changed since" });
  const second = await create();
  expect(second).toEqual(first);
  expect(new Headers(first.lastResponse.headers).get("idempotent-replayed")).toBe(null);
  expect(new Headers(second.lastResponse.headers).get("idempotent-replayed")).toBe("true");
  expect((await stripe.customers.list({ email: "ada@example.com" })).data).toHaveLength(1);
});

test("requests with one key at the same time do the work once", async () => {
  const { stripe } = running;
  const create = () => stripe.customers.create({ email: "at@once.example" }, { idempotencyKey: "at-once" });
  const customers = await Promise.all(Array.from({ length: 8 }, create));
  expect(new Set(customers.map(({ id }) => id)).size).toBe(1);
  expect((await stripe.customers.list({ email: "at@once.example" })).data).toHaveLength(1);
});

test("a key is refused with other parameters or at another endpoint", async () => {
  const { stripe } = running;
  const options = { idempotencyKey: "one-use" };
  await stripe.customers.create({ email: "a@example.com" }, options);
  await expect(stripe.customers.create({ email: "b@example.com" }, options)).rejects.toMatchObject({
    type: "StripeIdempotencyError",
    statusCode: 400,
    message: expect.stringContaining("with the same parameters"),
  });
  await expect(stripe.products.create({ name: "Plan" }, options)).rejects.toThrow(
    "('POST /v1/customers' vs 'POST /v1/products')",
  );
});

test("a refusal is replayed; parameters that are refused leave the key unused", async () => {
  const { stripe, pool } = running;
  const refused = { idempotencyKey: "refused" };
  const price = { product: "prod_later", currency: "usd", unit_amount: 1 };
  await expect(stripe.prices.create(price, refused)).rejects.toThrow("No such product");
  await stripe.products.create({ id: "prod_later", name: "Later" });
  await expect(stripe.prices.create(price, refused)).rejects.toThrow("No such product");
  await expect(stripe.prices.create(price)).resolves.toMatchObject({ product: "prod_later" });

  const invalid = { idempotencyKey: "invalid" };
  await expect(stripe.customers.create({ fone: "1" } as object, invalid)).rejects.toThrow(
    "fone of POST /v1/customers is not part of",
  );
  await expect(stripe.customers.create({ name: "Ada" }, invalid)).resolves.toMatchObject({ name: "Ada" });

  await pool.query("UPDATE sandbox_stripe.idempotency_keys SET created_at = now() - interval '25 hours'");
  await expect(stripe.prices.create(price, refused)).resolves.toMatchObject({ product: "prod_later" });
});

test("a key whose first request takes too long is in use", async () => {
  const { stripe, pool } = running;
  const slow = await pool.connect();
  await slow.query("BEGIN");
  await slow.query(
    "INSERT INTO sandbox_stripe.idempotency_keys (key, endpoint, params) VALUES ('slow', '', '')",
  );
  const create = () => stripe.customers.create({ name: "Slow" }, { idempotencyKey: "slow" });
  await expect(create()).rejects.toMatchObject({ statusCode: 409, code: "idempotency_key_in_use" });
  await slow.query("ROLLBACK");
  slow.release();
  await expect(create()).resolves.toMatchObject({ name: "Slow" });
});
