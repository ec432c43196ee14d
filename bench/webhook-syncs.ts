import type { Pool } from "pg";
import { pino } from "pino";
import type Stripe from "stripe";
import { syncHandlers } from "../app/billing/job-handlers.server.ts";
import { connectPayments } from "../app/billing/stripe.server.ts";
import { readConfig } from "../app/config/config.server.ts";
import { connect, endPool } from "../app/db/client.server.ts";
import { SYNCS_AT_ONCE } from "../app/jobs.server.ts";
import { createWorker } from "../app/outbox/worker.server.ts";
import { medianOf } from "../test/median.ts";
import type { Figure } from "./figures.ts";

/** How many times as fast as one after the other, though each asks five times as much. */
const LEAST_TIMES = 1;
const ROUNDS = 5;
/** How long Stripe takes for an answer, in milliseconds: less than it does over the internet. */
const LATENCY = 100;
/** Of these the one after the other takes only some, and its pace counts. */
const NAIVE_CUSTOMERS = 100;
const FILLED_AT_ONCE = 8;

interface Parts {
  origin: string;
  stripe: Stripe;
  pool: Pool;
  /** As the site. */
  siteUrl: string;
}

/**
 * Syncs of customers a second by the worker, beside one customer after the other, as commit 729c208 did it: a single question to Stripe
 * for each, and less written here than it wrote. A sync of today asks five.
 */
export async function measureSyncs(parts: Parts): Promise<Figure[]> {
  await setKnobs(parts.origin, { latency_ms: LATENCY });
  const times: number[] = [];
  const rates: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const naive = await syncOneByOne(parts);
    const ours = await syncAtOnce(parts);
    console.log(`${ours.toFixed(1)} syncs a second, one after the other ${naive.toFixed(1)}`);
    times.push(ours / naive);
    rates.push(ours);
  }
  await setKnobs(parts.origin, { latency_ms: 0 });
  return [
    {
      name: `syncs, Stripe taking ${LATENCY} ms and setting no limit, of one after the other`,
      value: medianOf(times),
      unit: "×",
      limit: { least: LEAST_TIMES },
    },
    { name: `syncs, Stripe taking ${LATENCY} ms`, value: medianOf(rates), unit: "/s" },
    { name: "syncs, Stripe taking no time", value: await syncAtOnce(parts), unit: "/s" },
  ];
}

/** @returns syncs a second. @throws unless every customer was asked about and no job is left */
async function syncAtOnce({ origin, pool, siteUrl }: Parts): Promise<number> {
  const config = readConfig({ AUTH_SECRET: "x".repeat(32) });
  const payments = connectPayments(config.payments, `${origin}/sandbox/stripe`);
  const { db, pool: own } = connect(siteUrl, config.databasePoolSize, () => {});
  const worker = createWorker(
    { db, log: pino({ level: "warn" }) as never },
    syncHandlers({ config, db, payments }),
    { concurrency: SYNCS_AT_ONCE },
  );
  await enqueueAll(pool);
  const begun = performance.now();
  await worker.drain();
  const seconds = (performance.now() - begun) / 1000;
  await endPool(own);
  const { rows } = await pool.query(
    `SELECT count(*) FILTER (WHERE done_at IS NULL)::int AS open, count(*)::int AS all,
       (SELECT count(*)::int FROM customers WHERE synced_at < (SELECT min(created_at) FROM outbox)) AS missed
     FROM outbox WHERE kind = 'sync_customer'`,
  );
  if (rows[0].open + rows[0].missed > 0) throw new Error(`not all were synced: ${JSON.stringify(rows[0])}`);
  return rows[0].all / seconds;
}

/** @returns syncs a second */
async function syncOneByOne({ stripe, pool }: Parts): Promise<number> {
  const customers = Math.min(NAIVE_CUSTOMERS, await enqueueAll(pool));
  const begun = performance.now();
  for (let count = 0; count < customers; count++) {
    const { rows } = await pool.query(
      `UPDATE outbox SET claimed_at = now(), run_at = now() + interval '25 seconds'
       WHERE id = (SELECT id FROM outbox WHERE done_at IS NULL AND run_at <= now() ORDER BY run_at LIMIT 1 FOR UPDATE SKIP LOCKED)
       RETURNING id, dedupe_key AS customer`,
    );
    const [{ id, customer }] = rows;
    await stripe.subscriptions.list({ customer, status: "all", limit: 100 });
    await pool.query("UPDATE customers SET synced_at = now() WHERE stripe_customer_id = $1", [customer]);
    await pool.query("UPDATE outbox SET done_at = now() WHERE id = $1", [id]);
  }
  return customers / ((performance.now() - begun) / 1000);
}

/** @returns how many customers there are */
async function enqueueAll(pool: Pool): Promise<number> {
  await pool.query("TRUNCATE outbox");
  const { rowCount } = await pool.query(
    `INSERT INTO outbox (kind, dedupe_key, payload)
     SELECT 'sync_customer', stripe_customer_id, jsonb_build_object('stripeCustomerId', stripe_customer_id) FROM customers`,
  );
  return rowCount ?? 0;
}

/** Makes users with a plan they pay for. @returns their ids at Stripe */
export async function fillCustomers({ stripe, pool }: Parts, count: number): Promise<string[]> {
  const prices = ["price_csv_only_monthly", "price_csv_banking_yearly"];
  const ids: string[] = [];
  let next = 0;
  async function fill(): Promise<void> {
    while (next < count) {
      const [userId, price = ""] = [`user${++next}`, prices[next % prices.length]];
      const email = `${userId}@example.com`;
      const { id } = await stripe.customers.create({ email, metadata: { user_id: userId } });
      const { id: card } = await stripe.paymentMethods.attach("pm_card_visa", { customer: id });
      await stripe.customers.update(id, { invoice_settings: { default_payment_method: card } });
      await stripe.subscriptions.create({ customer: id, items: [{ price }] });
      await pool.query(`INSERT INTO "user" (id, name, email) VALUES ($1, $1, $2)`, [userId, email]);
      await pool.query("INSERT INTO customers (user_id, stripe_customer_id) VALUES ($1, $2)", [userId, id]);
      ids.push(id);
    }
  }
  await Promise.all(Array.from({ length: FILLED_AT_ONCE }, fill));
  // Their events are not what is measured.
  await pool.query("DELETE FROM sandbox_stripe.deliveries");
  await pool.query("VACUUM ANALYZE");
  return ids;
}

export async function setKnobs(origin: string, knobs: object): Promise<void> {
  const { ok } = await fetch(`${origin}/sandbox/stripe/control`, {
    method: "POST",
    body: JSON.stringify(knobs),
  });
  if (!ok) throw new Error("the sandbox does not take these knobs");
}
