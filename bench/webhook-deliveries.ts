import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Pool } from "pg";
import Stripe from "stripe";
import { medianOf } from "../test/median.ts";
import { inTurn } from "./contender.ts";
import type { Figure } from "./figures.ts";

/** The ratio to the inserts of a bare database client that must be reached. */
const LEAST_OF_BARE = 0.3;
const ROUNDS = 7;
const ROUND_SECONDS = 3;
const SENDERS = 64;
const INSERTERS = 8;
/** More than can be acknowledged. */
const MOST_A_SECOND = 8_000;

const run = promisify(execFile);

interface Parts {
  origin: string;
  pool: Pool;
  /** As the owner of the tables. */
  databaseUrl: string;
  /** For files. */
  folder: string;
  secret: string;
  /** Ids of customers at Stripe. */
  customers: string[];
}

/**
 * Deliveries acknowledged a second, signed, over HTTP, each of another event of one of the customers; beside pgbench, which inserts the same
 * two rows for each on the same server. In turn and back again; shares are taken within a round.
 */
export async function measureDeliveries(parts: Parts): Promise<Figure[]> {
  const script = join(parts.folder, "insert.sql");
  writeFileSync(script, insertsFor(parts.customers.length));
  await parts.pool.query("CREATE TABLE bench_customers (number int PRIMARY KEY, id text)");
  await parts.pool.query(
    "INSERT INTO bench_customers SELECT number, id FROM unnest($1::text[]) WITH ORDINALITY AS each (id, number)",
    [parts.customers],
  );
  const payload = await realisticEvent(parts.pool);
  const site = () => acknowledge(parts, payload);
  const bare = () => insert(parts, script);
  const rates = await inTurn(ROUNDS, [site, bare], (contender) => contender());
  const shares = (rates.get(site) ?? []).map((deliveries, round) => {
    const inserts = rates.get(bare)?.[round] ?? Number.NaN;
    console.log(`${Math.round(deliveries)} deliveries a second, pgbench ${Math.round(inserts)} transactions`);
    return deliveries / inserts;
  });
  return [
    {
      name: "deliveries acknowledged, of pgbench inserting the same rows",
      value: medianOf(shares),
      unit: "×",
      limit: { least: LEAST_OF_BARE },
    },
  ];
}

/** @returns acknowledgements a second. @throws unless each was kept */
async function acknowledge(parts: Parts, payload: Stripe.Event): Promise<number> {
  await clear(parts.pool);
  const file = join(parts.folder, "deliveries");
  writeDeliveries(file, parts, payload);
  const { stdout } = await run("wrk", [
    ...["-t1", `-c${SENDERS}`, `-d${ROUND_SECONDS}s`, "-s", join(import.meta.dirname, "deliveries.lua")],
    ...[`${parts.origin}/webhooks/stripe`, "--", file],
  ]);
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(stdout);
  const { rows } = await parts.pool.query(
    `SELECT count(*)::int AS events, (SELECT sum(cardinality(event_ids))::int FROM outbox) AS in_jobs FROM stripe_events`,
  );
  const acknowledged = Number(/(\d+) requests in/.exec(stdout)?.[1]);
  // Deliveries in progress when wrk ends may still be stored, even while the tables are being emptied.
  if (rows[0].events < acknowledged || rows[0].in_jobs < acknowledged)
    throw new Error(`${acknowledged} were acknowledged, and stored ${JSON.stringify(rows[0])}`);
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]);
}

/** @returns transactions a second */
async function insert({ pool, databaseUrl }: Parts, script: string): Promise<number> {
  await clear(pool);
  const { hostname, port, username, password, pathname } = new URL(databaseUrl);
  const { stdout } = await run(
    "pgbench",
    ["-n", `-c${INSERTERS}`, "-j1", "-Mprepared", `-T${ROUND_SECONDS}`, `-f${script}`, pathname.slice(1)],
    {
      env: {
        PATH: process.env.PATH,
        PGHOST: hostname,
        PGPORT: port,
        PGUSER: username,
        PGPASSWORD: password,
      },
    },
  );
  return Number(/tps = ([\d.]+)/.exec(stdout)?.[1]);
}

/** The rows of an event: the event itself and the job for its customer. */
const insertsFor = (customers: number) => `
\\set number random(1, ${customers})
BEGIN;
INSERT INTO stripe_events (id, type, created, customer_id)
SELECT 'evt_' || gen_random_uuid(), 'customer.subscription.created', now(), id FROM bench_customers WHERE number = :number;
INSERT INTO outbox (kind, payload, dedupe_key, event_ids)
SELECT 'sync_customer', jsonb_build_object('stripeCustomerId', id), id, ARRAY['evt_' || gen_random_uuid()]
FROM bench_customers WHERE number = :number
ON CONFLICT (kind, dedupe_key) WHERE done_at IS NULL AND claimed_at IS NULL
DO UPDATE SET run_at = least(outbox.run_at, excluded.run_at), event_ids = outbox.event_ids || excluded.event_ids;
COMMIT;
`;

async function clear(pool: Pool): Promise<void> {
  // In sequence, as the site writes them.
  for (const table of ["stripe_events", "outbox"]) await pool.query(`TRUNCATE ${table}`);
  await pool.query("CHECKPOINT");
}

/** An event of the sandbox. */
async function realisticEvent(pool: Pool): Promise<Stripe.Event> {
  const { rows } = await pool.query(
    `SELECT object FROM sandbox_stripe.objects
     WHERE kind = 'event' AND object->>'type' = 'customer.subscription.created' LIMIT 1`,
  );
  return rows[0].object;
}

function writeDeliveries(file: string, { secret, customers }: Parts, event: Stripe.Event): void {
  const lines: string[] = [];
  const created = Math.floor(Date.now() / 1000);
  for (let index = 0; index < MOST_A_SECOND * ROUND_SECONDS; index++) {
    const customer = customers[Math.floor(Math.random() * customers.length)];
    const data = { object: { ...event.data.object, customer } };
    const payload = JSON.stringify({ ...event, id: `evt_${randomUUID()}`, created, data });
    lines.push(Stripe.webhooks.generateTestHeaderString({ payload, secret }), payload);
  }
  writeFileSync(file, `${lines.join("\n")}\n`);
}
