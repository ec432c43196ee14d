import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Pool } from "pg";
import type Stripe from "stripe";

const run = promisify(execFile);
export async function fillCustomers(stripe: Stripe, pool: Pool, count: number): Promise<void> {
  const prices = ["price_csv_only_monthly", "price_csv_banking_yearly"];
  let next = 0;
  async function fill() {
    while (next < count) {
      const n = ++next;
      const { id } = await stripe.customers.create({
        email: `user${n}@example.com`,
        metadata: { user_id: `user${n}` },
        payment_method: "pm_card_visa",
      });
      const {
        data: [card],
      } = await stripe.paymentMethods.list({ customer: id });
      await stripe.customers.update(id, { invoice_settings: { default_payment_method: card?.id ?? "" } });
      await stripe.subscriptions.create({ customer: id, items: [{ price: prices[n % 2] ?? "" }] });
      await pool.query(`UPDATE customers SET stripe_customer_id = $2 WHERE user_id = $1`, [`user${n}`, id]);
    }
  }
  await Promise.all(Array.from({ length: 8 }, fill));
  await pool.query("DELETE FROM sandbox_stripe.deliveries");
  await pool.query("VACUUM ANALYZE");
}

export async function syncAll(
  root: string,
  pool: Pool,
  siteUrl: string,
  sandboxUrl: string,
  places: number,
  serverPid: number,
  prof = "",
) {
  await pool.query("DELETE FROM outbox");
  await pool.query(
    `INSERT INTO outbox (kind, dedupe_key, payload) SELECT 'sync_customer', stripe_customer_id, jsonb_build_object('stripeCustomerId', stripe_customer_id) FROM customers`,
  );
  const cpu = () =>
    readFileSync(`/proc/${serverPid}/stat`, "utf8")
      .split(") ")[1]
      ?.split(" ")
      .slice(11, 13)
      .reduce((a, b) => a + Number(b), 0) ?? 0;
  const before = cpu();
  const { stdout, stderr } = await run(
    process.execPath,
    [
      ...(prof ? ["--cpu-prof", `--cpu-prof-dir=${prof}`] : []),
      join(import.meta.dirname, "sync-worker.ts"),
      root,
      siteUrl,
      sandboxUrl,
      String(places),
    ],
    { maxBuffer: 1e8 },
  );
  if (stderr) console.log(stderr.slice(0, 1000));
  const { rows } = await pool.query(
    "SELECT count(*) FILTER (WHERE done_at IS NULL)::int AS left, (SELECT count(*)::int FROM stripe_subscriptions) AS subs FROM outbox",
  );
  return { ...JSON.parse(stdout), sandbox: (cpu() - before) / 100, ...rows[0] };
}
