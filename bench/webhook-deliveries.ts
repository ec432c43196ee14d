import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Pool } from "pg";
import Stripe from "stripe";
import { medianOf } from "../test/median.ts";
import type { Figure } from "./figures.ts";

const ROUNDS = Number(process.env.ROUNDS ?? 5);
const ROUND_SECONDS = 3;
const SENDERS = 64;
const INSERTERS = 8;
const MOST_A_SECOND = 8_000;
const run = promisify(execFile);

export interface Deliveries {
  origin: string;
  pool: Pool;
  ownerUrl: string;
  folder: string;
  secret: string;
  customers: number;
  payload: Stripe.Event;
}

export async function measureDeliveries(parts: Deliveries): Promise<Figure[]> {
  const shares: number[] = [];
  const script = join(parts.folder, "insert.sql");
  writeFileSync(script, insertsOf(parts));
  for (let round = 0; round < ROUNDS; round++) {
    const [site, bare] =
      round % 2
        ? [await acknowledged(parts), await inserted(parts, script)]
        : [await acknowledged(parts), await inserted(parts, script)];
    console.log(`${Math.round(site)} deliveries/s, pgbench ${Math.round(bare)} /s`);
    shares.push(site / bare);
  }
  return [
    {
      name: "deliveries acknowledged beside pgbench inserting the same rows",
      value: medianOf(shares),
      unit: "×",
      limit: { least: 0.5 },
    },
  ];
}

async function acknowledged(parts: Deliveries): Promise<number> {
  await clear(parts);
  const file = join(parts.folder, "deliveries");
  writeDeliveries(file, parts, MOST_A_SECOND * ROUND_SECONDS);
  const { stdout } = await run("wrk", [
    "-t1",
    `-c${SENDERS}`,
    `-d${ROUND_SECONDS}s`,
    "-s",
    join(import.meta.dirname, "deliveries.lua"),
    `${parts.origin}/webhooks/stripe`,
    "--",
    file,
  ]);
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(stdout);
  const { rows } = await parts.pool.query(
    "SELECT count(*)::int AS n, (SELECT count(*)::int FROM outbox) AS jobs FROM stripe_events",
  );
  const count = Number(/(\d+) requests in/.exec(stdout)?.[1]);
  if (process.env.VERBOSE) console.log(stdout, rows[0], count);
  if (rows[0].n < count) throw new Error(`${count} were acknowledged, ${rows[0].n} are stored`);
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]);
}

async function inserted({ folder: _folder, ...parts }: Deliveries, script: string): Promise<number> {
  await clear(parts);
  const { hostname, port, username, password, pathname } = new URL(parts.ownerUrl);
  const { stdout } = await run(
    "pgbench",
    ["-n", `-c${INSERTERS}`, "-j1", "-Mprepared", `-T${ROUND_SECONDS}`, `-f${script}`, pathname.slice(1)],
    {
      env: { PATH: process.env.PATH, PGHOST: hostname, PGPORT: port, PGUSER: username, PGPASSWORD: password },
    },
  );
  return Number(/tps = ([\d.]+)/.exec(stdout)?.[1]);
}

async function clear({ pool }: Pick<Deliveries, "pool">) {
  for (const table of ["stripe_events", "outbox"]) await pool.query(`TRUNCATE ${table}`);
  await pool.query("CHECKPOINT");
}

function insertsOf({ customers }: Deliveries): string {
  return `\\set customer random(1, ${customers})
BEGIN;
INSERT INTO stripe_events (id, type, created, customer_id) VALUES ('evt_' || gen_random_uuid(), 'customer.subscription.updated', now(), 'cus_' || :customer) ON CONFLICT DO NOTHING;
INSERT INTO outbox (kind, payload, dedupe_key, event_ids) VALUES ('sync_customer', jsonb_build_object('stripeCustomerId', 'cus_' || :customer), ${process.env.UNIQ ? "gen_random_uuid()::text" : "'cus_' || :customer"}, ARRAY['evt_' || :customer])
  ${
    process.env.UNIQ
      ? ""
      : `ON CONFLICT (kind, dedupe_key) WHERE done_at IS NULL AND claimed_at IS NULL
  DO UPDATE SET run_at = least(outbox.run_at, excluded.run_at), event_ids = CASE WHEN outbox.event_ids @> excluded.event_ids THEN outbox.event_ids ELSE outbox.event_ids || excluded.event_ids END`
  };
COMMIT;
`;
}

function writeDeliveries(file: string, { secret, customers, payload }: Deliveries, count: number): void {
  const lines: string[] = [];
  for (let index = 0; index < count; index++) {
    const customer = `cus_${1 + Math.floor(Math.random() * customers)}`;
    const body = JSON.stringify({
      ...payload,
      id: `evt_${randomUUID()}`,
      created: Math.floor(Date.now() / 1000),
      data: { object: { ...payload.data.object, customer } },
    });
    lines.push(Stripe.webhooks.generateTestHeaderString({ payload: body, secret }), body);
  }
  writeFileSync(file, `${lines.join("\n")}\n`);
}
