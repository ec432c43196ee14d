import { expect, test } from "vitest";
import { connectPayments } from "../../app/billing/stripe.server.ts";
import { runCommand } from "../../test/command.ts";
import { databaseSettings } from "../../test/database.ts";
import { call, checkoutOf, control, eventually, pay } from "../../test/http.ts";
import { setupServer } from "../../test/server.fixture.ts";
import { createPerson } from "../../test/users.ts";

const server = setupServer();

/** A command as an operator runs it beside the server: the sandbox is the server's. */
async function ops(...args: string[]): Promise<{ code: number; printed: string }> {
  const { rows } = await server.pool.query("SELECT current_database() AS name");
  const url = new URL(process.env.TEST_DATABASE_URL ?? "");
  url.pathname = `/${rows[0].name}`;
  return runCommand("bin/ops.ts", args, { ...databaseSettings(url.href), PORT: server.port });
}

test("a payment whose webhooks are lost is found and mailed by reconcile, and then nothing differs", async () => {
  const person = await createPerson(server.pool);
  await control(server, { webhooks: "hold" });
  const { result } = await (await call(server, checkoutOf(server), person.cookie)).json();
  await pay(result.url);
  await server.pool.query("TRUNCATE sandbox_stripe.deliveries");
  await control(server, { webhooks: "deliver" });

  const found = await ops("reconcile");
  expect(found.printed).toContain("1 × subscription missing");
  expect(found.code).toBe(1);
  await eventually(async () => {
    const mails = await (await fetch(`${server.origin}/sandbox/mail.json`)).json();
    return mails.some(
      ({ subject, html }: { subject: string; html: string }) =>
        subject === "Receipt: $49.99 for CSV + Banking" && html.includes("You paid $49.99"),
    );
  }, "the receipt");

  const again = await ops("reconcile", "--json");
  expect(JSON.parse(again.printed)).toMatchObject({ customers: 1, drift: [], failed: [], isComplete: true });
  expect(again.code).toBe(0);
});

test("Stripe that is away, and a word that reconcile does not know, are neither sound nor mended", async () => {
  await control(server, { api: "down" });
  expect(await ops("reconcile")).toMatchObject({
    code: 2,
    printed: expect.stringContaining("was not compared"),
  });
  await control(server, { api: "up" });
  expect(await ops("reconcile", "--everything")).toMatchObject({
    code: 2,
    printed: expect.stringContaining("Usage"),
  });
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

test("push fills an empty account once, and sync shows it on the site", async () => {
  const catalogue = (...args: string[]) => ops("catalogue", ...args);
  expect((await catalogue("push")).printed).toMatch(/^left as they were: prod_csv_only/);
  await server.pool.query(`
    DELETE FROM sandbox_stripe.checkout_orders;
    DELETE FROM sandbox_stripe.objects WHERE object ->> 'object' IN ('product', 'price')`);
  expect(await catalogue("sync")).toMatchObject({ code: 1 });
  expect((await catalogue("push")).printed).toContain("created csv_banking_yearly");
  expect(JSON.parse((await catalogue("push", "--json")).printed)).toMatchObject({ created: [] });
  expect((await catalogue("sync")).printed).toMatch(/CSV \+ Banking.*premium.*\$49\.99 a year/);
  const pricing = async () => (await fetch(`${server.origin}/pricing`)).text();
  await eventually(async () => (await pricing()).includes("$49.99"), "the pricing page shows them");
});
