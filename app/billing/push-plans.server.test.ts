import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openDatabase } from "../../test/database.ts";
import { startTestSandbox } from "../../test/stripe.ts";
import { readCatalogue, syncCatalogue } from "./catalogue.server.ts";
import { pushPlans } from "./push-plans.server.ts";

const ALL = [
  ...["prod_csv_only", "csv_only_monthly", "csv_only_yearly"],
  ...["prod_csv_banking", "csv_banking_monthly", "csv_banking_yearly"],
];

let database: Awaited<ReturnType<typeof openDatabase>>;
let sandbox: Awaited<ReturnType<typeof startTestSandbox>>;

beforeAll(async () => {
  [database, sandbox] = await Promise.all([openDatabase(), startTestSandbox()]);
});

afterAll(() => Promise.all([database.close(), sandbox.close()]));

/** An account in which nothing has been made yet. */
beforeEach(() =>
  sandbox.pool.query("DELETE FROM sandbox_stripe.objects WHERE object ->> 'object' IN ('product', 'price')"),
);

/** What the account has, in the order in which it was made. */
async function whatIsThere() {
  const prices = await sandbox.stripe.prices.list({ limit: 100 });
  return prices.data.map(({ lookup_key, unit_amount, recurring, product, active }) =>
    [product, lookup_key, unit_amount, recurring?.interval, active ? "active" : "archived"].join(" "),
  );
}

test("an empty account gets the plans of the specification, and sells them", async () => {
  const pushed = await pushPlans(sandbox.stripe);
  expect(pushed).toEqual({ ok: true, created: expect.arrayContaining(ALL), existing: [] });
  await syncCatalogue(sandbox.stripe, database.db);
  const { plans, skipped } = await readCatalogue(database.db, "usd");
  expect(skipped).toEqual([]);
  expect(
    plans.map(({ name, tier, prices }) => [name, tier, ...prices.map(({ unitAmount }) => unitAmount)]),
  ).toEqual([
    ["CSV Only", "basic", 299, 2999],
    ["CSV + Banking", "premium", 499, 4999],
  ]);
});

test("run twice, or after a run that was cut off, it makes what is missing and nothing else", async () => {
  await pushPlans(sandbox.stripe);
  const before = await whatIsThere();
  expect(await pushPlans(sandbox.stripe)).toEqual({ ok: true, created: [], existing: ALL });
  expect(await whatIsThere()).toEqual(before);

  await sandbox.pool.query(
    "DELETE FROM sandbox_stripe.objects WHERE id = 'prod_csv_banking' OR object ->> 'lookup_key' IN ('csv_only_yearly', 'csv_banking_monthly', 'csv_banking_yearly')",
  );
  const continued = await pushPlans(sandbox.stripe);
  expect(continued).toEqual({
    ok: true,
    created: ["csv_only_yearly", "prod_csv_banking", "csv_banking_monthly", "csv_banking_yearly"],
    existing: ["prod_csv_only", "csv_only_monthly"],
  });
  expect((await whatIsThere()).sort()).toEqual(before.sort());
});

test("what the operator changed since stays: another name, another price, one that was archived", async () => {
  const { stripe } = sandbox;
  await pushPlans(stripe);
  await stripe.products.update("prod_csv_only", { name: "Files" });
  const { data } = await stripe.prices.list({ lookup_keys: ["csv_only_monthly", "csv_only_yearly"] });
  const idOf = (key: string) => data.find(({ lookup_key }) => lookup_key === key)?.id ?? "";
  const replacing = { product: "prod_csv_only", currency: "usd", recurring: { interval: "month" } } as const;
  await stripe.prices.create({ ...replacing, unit_amount: 399 });
  await stripe.prices.update(idOf("csv_only_monthly"), { active: false, lookup_key: "" });
  await stripe.prices.update(idOf("csv_only_yearly"), { active: false });
  const before = await whatIsThere();
  expect(await pushPlans(stripe)).toMatchObject({ ok: true, created: [] });
  expect(await whatIsThere()).toEqual(before);
  expect((await stripe.products.retrieve("prod_csv_only")).name).toBe("Files");
});

test("an account that sells something else is left alone", async () => {
  await sandbox.stripe.products.create({ name: "A mug" });
  expect(await pushPlans(sandbox.stripe)).toEqual({ ok: false, others: ["A mug"] });
  expect(await whatIsThere()).toEqual([]);
});
