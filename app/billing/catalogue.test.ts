import { pino } from "pino";
import type Stripe from "stripe";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openDatabase } from "../../test/database.ts";
import { eventually } from "../../test/http.ts";
import { startTestSandbox, withHeldList } from "../../test/stripe.ts";
import { readConfig } from "../config/config.server.ts";
import { TIERS } from "../entitlements/tiers.ts";
import { readCatalogue, syncCatalogue } from "./catalogue.server.ts";
import { watchCatalogue } from "./catalogue-state.server.ts";

const config = readConfig({ AUTH_SECRET: "x".repeat(32) });

let database: Awaited<ReturnType<typeof openDatabase>>;
let sandbox: Awaited<ReturnType<typeof startTestSandbox>>;
let stripe: Stripe;

beforeAll(async () => {
  [database, sandbox] = await Promise.all([openDatabase(), startTestSandbox()]);
  stripe = sandbox.stripe;
});

afterAll(() => Promise.all([database.close(), sandbox.close()]));

/** A new price of a plan, in dollars and by the month unless said otherwise. */
function makePrice(params: Partial<Stripe.PriceCreateParams> = {}): Promise<Stripe.Price> {
  return stripe.prices.create({
    product: "prod_csv_only",
    currency: "usd",
    unit_amount: 1200,
    recurring: { interval: "month" },
    ...params,
  });
}

async function onSale(currency = "usd"): Promise<string[]> {
  await syncCatalogue(stripe, database.db);
  const { plans } = await readCatalogue(database.db, currency);
  return plans.flatMap((plan) => plan.prices.map(({ id }) => id));
}

test("every active price that no plan can have is kept with its reason, and only those", async () => {
  const mug = await stripe.products.create({ name: "A mug" });
  const old = await stripe.products.create({ name: "An old mug", active: false });
  const skipped = await Promise.all([
    makePrice({ product: mug.id }),
    makePrice({ recurring: undefined }),
    makePrice({ recurring: { interval: "week" } }),
    makePrice({ recurring: { interval: "month", interval_count: 3 } }),
    makePrice({ currency: "jpy" }),
    makePrice({ currency: "eur" }),
  ]);
  const [tierless] = skipped;
  await makePrice({ product: old.id });
  await makePrice({ currency: "jpy", active: false });
  await syncCatalogue(stripe, database.db);

  const reasons = new Map(
    (await readCatalogue(database.db, "usd")).skipped.map(({ id, plan, reason }) => [
      id,
      `${plan} ${reason}`,
    ]),
  );
  expect(skipped.map(({ id }) => reasons.get(id))).toEqual([
    `A mug has a product without a tier: set its metadata tier to ${TIERS.join(" or ")}`,
    "CSV Only is paid once, not every month or year",
    "CSV Only is paid every 1 week(s), not every month or year",
    "CSV Only is paid every 3 month(s), not every month or year",
    "CSV Only is in jpy, and the site sells in usd (CURRENCY)",
    "CSV Only is in eur, and the site sells in usd (CURRENCY)",
  ]);
  expect(reasons.size).toBe(skipped.length);

  await stripe.products.update(mug.id, { metadata: { tier: "basic" } });
  expect(await onSale()).toContain(tierless?.id);
  await stripe.products.update(mug.id, { active: false });
  expect(await onSale("eur")).toEqual([skipped.at(-1)?.id]);
  for (const { id } of skipped) await stripe.prices.update(id, { active: false });
});

test("of two prices for the same the newest is on sale, and the older again once that is archived", async () => {
  const newer = await makePrice();
  // As if they had been made a while apart: the sandbox's clock goes by seconds.
  await sandbox.pool.query(
    "UPDATE sandbox_stripe.objects SET object = jsonb_set(object, '{created}', to_jsonb((object ->> 'created')::int + 60)) WHERE id = $1",
    [newer.id],
  );
  expect(await onSale()).toEqual(expect.arrayContaining([newer.id, "price_csv_only_yearly"]));
  expect(await onSale()).not.toContain("price_csv_only_monthly");
  expect((await readCatalogue(database.db, "usd")).skipped).toEqual([
    expect.objectContaining({
      id: "price_csv_only_monthly",
      reason: `is replaced by ${newer.id}, a newer price of the same plan and period`,
    }),
  ]);
  await stripe.prices.update(newer.id, { active: false });
  expect(await onSale()).toContain("price_csv_only_monthly");
});

test("an earlier mirroring that ends later brings back neither a product that is no longer listed nor an archived price", async () => {
  const early = withHeldList(stripe, "prices");
  const slow = syncCatalogue(early.client, database.db);
  await early.asked;
  const { rows } = await sandbox.pool.query(
    "DELETE FROM sandbox_stripe.objects WHERE id IN ('prod_csv_only', 'price_csv_only_monthly', 'price_csv_only_yearly') RETURNING *",
  );
  expect(rows).toHaveLength(3);
  await stripe.prices.update("price_csv_banking_monthly", { active: false });
  expect(await onSale()).toEqual(["price_csv_banking_yearly"]);
  early.handOver();
  await slow;
  const { plans } = await readCatalogue(database.db, "usd");
  expect(plans.flatMap(({ prices }) => prices.map(({ id }) => id))).toEqual(["price_csv_banking_yearly"]);
});

test("an active product without a price is listed, and a deleted one no longer", async () => {
  const mug = await stripe.products.create({ name: "A mug", metadata: { tier: "basic" } });
  await syncCatalogue(stripe, database.db);
  const skipped = async () => (await readCatalogue(database.db, "usd")).skipped;
  expect(await skipped()).toContainEqual({
    id: mug.id,
    plan: "A mug",
    reason: "has no active price at Stripe",
  });
  await stripe.products.del(mug.id);
  await syncCatalogue(stripe, database.db);
  expect((await skipped()).map(({ id }) => id)).not.toContain(mug.id);
});

test("a price that is not on sale is logged once, and what becomes so later as well", async () => {
  const logged: string[] = [];
  const log = pino({ level: "warn" }, { write: (line: string) => void logged.push(line) });
  const payments = { isOn: true as const, stripe, webhookSecret: "unused", checkoutOrigins: [] };
  const first = await makePrice({ product: "prod_csv_banking", currency: "eur" });
  await syncCatalogue(stripe, database.db);
  const watch = watchCatalogue({ db: database.db, payments, config, log });
  await watch.start();
  const second = await makePrice({ product: "prod_csv_banking", currency: "gbp" });
  await syncCatalogue(stripe, database.db);
  watch.refresh();
  await eventually(async () => logged.some((line) => line.includes(second.id)), "the second is logged");
  await watch.stop();
  expect(
    logged.map((line) => JSON.parse(line)).map(({ stripeId, plan, msg }) => [stripeId, plan, msg]),
  ).toEqual([
    [first.id, "CSV + Banking", expect.stringMatching(/^not on sale: it is in eur, .*CURRENCY/)],
    [second.id, "CSV + Banking", expect.stringMatching(/^not on sale: it is in gbp, /)],
  ]);
});
