import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestSandbox } from "../../testing/stripe.ts";
import { ENDPOINTS } from "./endpoints.ts";

let running: Awaited<ReturnType<typeof startTestSandbox>>;
beforeAll(async () => {
  running = await startTestSandbox();
});
afterAll(() => running.close());

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
  const readme = readFileSync(join(import.meta.dirname, "../README.md"), "utf8");
  const rows = readme.matchAll(/^\| `(\/v1\/[^`]+)` +\| ((?:GET|POST|DELETE|, )+) +\|/gm);
  const claimed = Array.from(rows, ([, path, methods = ""]) =>
    methods.split(", ").map((method) => `${method} ${path}`),
  );
  expect(claimed.flat().sort()).toEqual(ENDPOINTS.map(([method, path]) => `${method} ${path}`).sort());
});
