import { join } from "node:path";
import { connectStripe } from "@ownwords/sandbox/testing";
import { Pool } from "pg";
import type Stripe from "stripe";
import { readConfig } from "../app/config/config.server.ts";
import { endPool } from "../app/db/client.server.ts";
import { openEmbeddedPostgres } from "../app/db/embedded.server.ts";
import { control } from "../test/http.ts";
import { eachOf } from "../test/loops.ts";
import { endProcess, spawnServer } from "../test/server.ts";
import { withFolder } from "./contender.ts";
import type { Figure } from "./figures.ts";
import { measureDeliveries } from "./webhook-deliveries.ts";

const DEFAULT_CUSTOMERS = 1_000;
const FILLED_AT_ONCE = 8;

/**
 * Deliveries of Stripe's events to a process without a worker, since pgbench does no jobs either. The database waits for its
 * disk, as in production. Needs wrk and pgbench.
 */
export function run(): Promise<Figure[]> {
  return withFolder(async (folder) => {
    const postgres = await openEmbeddedPostgres(folder, () => {});
    const server = await spawnServer({
      DATABASE_URL: postgres.siteUrl,
      DATABASE_OWNER_URL: postgres.url,
      DATA_DIR: join(folder, "data"),
      ROLE: "web",
      LOG_LEVEL: "error",
    });
    const pool = new Pool({ connectionString: postgres.url, max: 3 });
    pool.on("error", () => {});
    try {
      const parts = { origin: server.origin, pool, stripe: connectStripe(server.stripeOrigin) };
      await control(server, { webhooks: "hold" });
      const customers = await fillCustomers(parts, Number(process.argv[3] ?? DEFAULT_CUSTOMERS));
      const { payments } = readConfig({ AUTH_SECRET: "x".repeat(32) });
      const secret = payments.mode === "sandbox" ? payments.webhookSecret : "";
      return await measureDeliveries({ ...parts, databaseUrl: postgres.url, folder, secret, customers });
    } finally {
      await endProcess(server.child);
      await endPool(pool);
      await postgres.release();
    }
  });
}

/** Creates users with a paid plan. @returns their ids at Stripe */
async function fillCustomers(
  { stripe, pool }: { stripe: Stripe; pool: Pool },
  count: number,
): Promise<string[]> {
  const prices = ["price_csv_only_monthly", "price_csv_banking_yearly"];
  const ids: string[] = [];
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  await eachOf(numbers, FILLED_AT_ONCE, async (number) => {
    const [userId, price = ""] = [`user${number}`, prices[number % prices.length]];
    const email = `${userId}@example.com`;
    const { id } = await stripe.customers.create({ email, metadata: { user_id: userId } });
    const { id: card } = await stripe.paymentMethods.attach("pm_card_visa", { customer: id });
    await stripe.customers.update(id, { invoice_settings: { default_payment_method: card } });
    await stripe.subscriptions.create({ customer: id, items: [{ price }] });
    await pool.query(`INSERT INTO "user" (id, name, email) VALUES ($1, $1, $2)`, [userId, email]);
    await pool.query("INSERT INTO customers (user_id, stripe_customer_id) VALUES ($1, $2)", [userId, id]);
    ids.push(id);
  });
  // Their events are not measured.
  await pool.query("DELETE FROM sandbox_stripe.deliveries");
  await pool.query("VACUUM ANALYZE");
  return ids;
}
