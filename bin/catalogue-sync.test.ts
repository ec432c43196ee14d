import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { connectPayments } from "../app/billing/stripe.server.ts";
import { COMPILE_CACHE } from "../test/compile-cache.ts";
import { databaseSettings } from "../test/database.ts";
import { eventually } from "../test/http.ts";
import { setupServer } from "../test/server.fixture.ts";

const server = setupServer();

/** The command as an operator runs it beside the server: the sandbox is the server's. */
async function catalogue(...args: string[]): Promise<string> {
  const { rows } = await server.pool.query("SELECT current_database() AS name");
  const url = new URL(process.env.TEST_DATABASE_URL ?? "");
  url.pathname = `/${rows[0].name}`;
  const env = { ...COMPILE_CACHE, PATH: process.env.PATH, ...databaseSettings(url.href), PORT: server.port };
  return (await promisify(execFile)(process.execPath, ["bin/catalogue.ts", ...args], { env })).stdout;
}

test("push fills an empty account once, and sync shows it on the site", async () => {
  expect(await catalogue("push")).toMatch(/^left as they were: prod_csv_only/);
  await server.pool.query(
    "DELETE FROM sandbox_stripe.objects WHERE object ->> 'object' IN ('product', 'price')",
  );
  await expect(catalogue("sync")).rejects.toMatchObject({ code: 2 });
  expect(await catalogue("push")).toContain("created csv_banking_yearly");
  expect(JSON.parse(await catalogue("push", "--json"))).toMatchObject({ created: [] });
  expect(await catalogue("sync")).toMatch(/CSV \+ Banking.*premium.*\$49\.99 a year/);
  const pricing = async () => (await fetch(`${server.origin}/pricing`)).text();
  await eventually(async () => (await pricing()).includes("$49.99"), "the pricing page shows them");
});

test("a product that is made and deleted at Stripe is heard of by its webhooks", async () => {
  const payments = connectPayments(
    { mode: "sandbox", secretKey: "sk_test_sandbox", webhookSecret: "unused" },
    `${server.origin}/sandbox/stripe`,
  );
  if (!payments.isOn) throw new Error(payments.reason);
  const { id } = await payments.stripe.products.create({ name: "A mug" });
  const isListed = async () =>
    (await server.pool.query("SELECT FROM skipped_prices WHERE id = $1", [id])).rowCount === 1;
  await eventually(isListed, "it is listed as what is not on sale");
  await payments.stripe.products.del(id);
  await eventually(async () => !(await isListed()), "and no longer");
});
