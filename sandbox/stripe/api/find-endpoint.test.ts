import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestSandbox } from "../../testing/stripe.ts";

let running: Awaited<ReturnType<typeof startTestSandbox>>;
beforeAll(async () => {
  running = await startTestSandbox();
});
afterAll(() => running.close());

test("what Stripe has and the sandbox does not is named, not missing", async () => {
  const { stripe } = running;
  const rate = { display_name: "VAT", inclusive: true, percentage: 19 };
  await expect(stripe.taxRates.create(rate)).rejects.toMatchObject({
    statusCode: 501,
    code: "not_in_sandbox",
    rawType: "invalid_request_error",
    message:
      "POST /v1/tax_rates is not part of the Stripe sandbox; see sandbox/stripe/README.md for what is.",
  });
  await expect(stripe.taxRates.retrieve("txr_1")).rejects.toThrow("GET /v1/tax_rates/txr_1 is not part of");
  await expect(stripe.v2.core.accounts.create({})).rejects.toMatchObject({
    statusCode: 501,
    message: expect.stringContaining("POST /v2/core/accounts is not part of the Stripe sandbox"),
  });
  await expect(stripe.customers.search({ query: "email:'a@b.example'" })).rejects.toThrow(
    "GET /v1/customers/search is not part of",
  );
});

test.each(["/v1/tax_rate", "/v1/customer", "/v1/customers/cus_1/tax", "/v2/core/account"])(
  "%s, which Stripe does not have either, is Stripe's 404",
  async (path) => {
    await expect(running.stripe.rawRequest("GET", path)).rejects.toMatchObject({
      statusCode: 404,
      message: `Unrecognized request URL (GET: ${path}). Please see https://stripe.com/docs.`,
    });
  },
);

test("what cannot be expanded is named", async () => {
  const { stripe } = running;
  const prices = (expand: string[]) => stripe.prices.list({ limit: 1, expand });
  for (const path of ["data.tiers", "data.products", "data.currency"])
    await expect(prices([path])).rejects.toMatchObject({
      statusCode: 501,
      message: expect.stringContaining(`expand[]=${path} is not part of`),
    });
  const { data } = await prices(["data.product.default_price"]);
  expect(data[0]?.product).toMatchObject({ default_price: null });
  expect(
    (await stripe.customers.list({ email: "nobody@own.example", expand: ["data.nothing"] })).data,
  ).toEqual([]);
});

test("a parameter that only Stripe knows is named as that, a misspelt one is Stripe's 400", async () => {
  const { stripe } = running;
  const options = { idempotencyKey: "unsupported-parameter" };
  await expect(stripe.customers.create({ tax_exempt: "exempt" }, options)).rejects.toMatchObject({
    statusCode: 501,
    message: expect.stringMatching(/^tax_exempt of POST \/v1\/customers is not part of the Stripe sandbox/),
  });
  await expect(stripe.customers.create({}, options)).resolves.toMatchObject({ object: "customer" });
  await expect(stripe.rawRequest("POST", "/v1/customers", { fone: "1" })).rejects.toMatchObject({
    statusCode: 400,
    code: "parameter_unknown",
    param: "fone",
  });
  const { id: customer } = await stripe.customers.create();
  const session = { mode: "subscription", customer, success_url: "http://shop.example/" } as const;
  const price_data = { currency: "usd", product: "prod_csv_only", unit_amount: 1 };
  await expect(
    stripe.checkout.sessions.create({ ...session, line_items: [{ quantity: 1, price_data }] }),
  ).rejects.toMatchObject({ message: expect.stringContaining("line_items[0][price_data] of POST ") });
});
