import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { setupOps } from "../../test/ops.ts";
import { createSignedInUsers } from "../../test/users.ts";

const { database, opsWith } = setupOps(["catalogue"], async ({ pool }) => {
  await pool.query(
    `INSERT INTO products (id, name, active, tier, sync_ticket) VALUES ('prod_files', 'Files', true, 'basic', 1)`,
  );
  await pool.query(
    `INSERT INTO prices (id, product_id, active, unit_amount, currency, "interval", created_at, sync_ticket) VALUES
       ('price_old', 'prod_files', true, 299, 'eur', 'month', '2026-01-01', 1),
       ('price_new', 'prod_files', true, 399, 'eur', 'month', '2026-02-01', 1),
       ('price_gone', 'prod_files', false, 199, 'eur', 'month', '2026-03-01', 1),
       ('price_dollars', 'prod_files', true, 4000, 'usd', 'year', '2026-01-01', 1)`,
  );
  await pool.query(
    `INSERT INTO skipped_prices (id, product_name, reason) VALUES ('price_mug', 'A mug', 'has no fixed amount')`,
  );
});

test("list says what is on sale in the site's currency, and of every other active price why not", async () => {
  const { code, printed } = await opsWith({ CURRENCY: "EUR" }, "list");
  expect(code).toBe(0);
  expect(printed).toMatch(/Files.*basic.*price_new.*€3\.99 a month/);
  expect(printed.split("\n").filter((line) => line.startsWith("not on sale"))).toEqual([
    "not on sale: Files by the year: it has no such price",
    "not on sale: price_old (Files) is replaced by price_new, a newer price of the same plan and period",
    "not on sale: price_dollars (Files) is in usd, and the site sells in eur (CURRENCY)",
    "not on sale: price_mug (A mug) has no fixed amount",
  ]);
  expect(printed).not.toContain("price_gone");
});

test("as JSON it says the same, and with nothing on sale it exits with 1", async () => {
  const { printed } = await opsWith({ CURRENCY: "eur" }, "list", "--json");
  expect(JSON.parse(printed)).toMatchObject({
    currency: "eur",
    paymentsOff: null,
    plans: [{ name: "Files", prices: [{ id: "price_new", unitAmount: 399 }] }],
    skipped: [{ id: "price_old" }, { id: "price_dollars" }, { id: "price_mug" }],
    retired: [],
  });
  expect(await opsWith({ CURRENCY: "jpy" }, "list")).toMatchObject({ code: 1 });
});

test("a price that is no longer on sale is listed while subscriptions are paid by it", async () => {
  const { pool } = database;
  const users = await createSignedInUsers(pool, 3);
  const statuses = ["active", "past_due", "canceled"];
  for (const [index, { id }] of users.entries()) {
    await pool.query(
      `INSERT INTO stripe_subscriptions (id, user_id, price_id, tier, status, current_period_end, started_at, sync_ticket)
       VALUES ('sub_' || $1, $1, 'price_gone', 'basic', $2, now(), now(), 1)`,
      [id, statuses[index]],
    );
  }
  expect((await opsWith({ CURRENCY: "eur" }, "list")).printed).toContain(
    "retired: price_gone (Files), €1.99 a month, is still paid by 2 of the subscriptions",
  );
});

test.each([[[]], [["list", "all"]], [["list", "--live"]], [["push", "--now"]]])(
  "%j is not understood",
  async (args) => {
    expect(await opsWith({}, ...args)).toEqual({ code: 2, printed: expect.stringContaining("Usage:") });
  },
);

const LIVE = {
  STRIPE_SECRET_KEY: "sk_live_123",
  STRIPE_WEBHOOK_SECRET: "whsec_123",
  NODE_ENV: "production",
  PUBLIC_ORIGIN: "https://own.example",
  AUTH_SECRET: randomBytes(32).toString("hex"),
};

test.each([
  ["a live key", LIVE, "Add --live"],
  ["prices in another currency", { CURRENCY: "jpy" }, "this site sells in jpy"],
  [
    "payments that are off",
    { ...LIVE, STRIPE_SECRET_KEY: "", STRIPE_WEBHOOK_SECRET: "" },
    "payments are off: STRIPE_SECRET_KEY",
  ],
  ["a server that does not run", { PORT: "1" }, "Stripe: An error occurred with our connection to Stripe"],
])("push is refused for %s", async (_what, env, why) => {
  expect(await opsWith(env, "push")).toEqual({ code: 1, printed: expect.stringContaining(why) });
});
