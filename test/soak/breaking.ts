import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import Stripe from "stripe";
import { onCluster } from "../database.ts";
import { eventually, postForm } from "../http.ts";
import type { WatchedSite } from "./watched-site.ts";

const FILLER = "filler";
/** The signing secret of the payments sandbox. */
export const OUR_SECRET = "whsec_sandbox_only_never_in_production";

/** An event as Stripe sends it, signed with this secret. */
export async function deliver(origin: string, secret: string): Promise<void> {
  const object = { id: "prod_x", object: "product" };
  const payload = JSON.stringify({
    id: `evt_${randomUUID()}`,
    object: "event",
    type: "product.updated",
    created: Math.floor(Date.now() / 1000),
    data: { object },
  });
  const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret });
  await fetch(`${origin}/webhooks/stripe`, {
    method: "POST",
    headers: { "stripe-signature": signature, "content-type": "application/json" },
    body: payload,
  });
}

/** Repeats something, several at a time. @returns what ends it */
export function goOn(times: number, work: () => Promise<unknown>): () => Promise<unknown> {
  let isOver = false;
  const all = Array.from({ length: times }, async () => {
    while (!isOver) await work().catch(() => sleep(100));
  });
  return () => {
    isOver = true;
    return Promise.all(all);
  };
}

/** Fills the disk of `dataDir`, which must be a disk of its own. */
export function fill({ dataDir, hasOwnDisk }: WatchedSite, megabytes: number): void {
  if (!hasOwnDisk) throw new Error("only root can make the small disk that is filled here");
  execFileSync("fallocate", ["-l", `${megabytes}M`, join(dataDir, FILLER)]);
}

export function empty({ dataDir }: WatchedSite): void {
  rmSync(join(dataDir, FILLER), { force: true });
}

/** Whether the database takes writes, for connections from now on; those there are end. */
export async function setReadOnly({ database }: WatchedSite, isReadOnly: boolean): Promise<void> {
  const change = isReadOnly
    ? "SET default_transaction_read_only = on"
    : "RESET default_transaction_read_only";
  await onCluster(`ALTER DATABASE ${database} ${change}`);
  await onCluster(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database}'`);
}

/** The nightly comparison with Stripe, now. */
export async function compare({ pool }: WatchedSite): Promise<void> {
  const { rows } = await pool.query(
    "INSERT INTO outbox (kind, dedupe_key, payload) VALUES ('reconcile', 'nightly', '{}') RETURNING id",
  );
  await eventually(async () => {
    const { rowCount } = await pool.query("SELECT FROM outbox WHERE id = $1 AND done_at IS NOT NULL", [
      rows[0].id,
    ]);
    return rowCount === 1;
  }, "the comparison with Stripe");
}

/** Makes the only good backup this old. */
export async function backUp({ pool }: WatchedSite, age: string): Promise<void> {
  await pool.query(
    `INSERT INTO backups (id, method, started_at, finished_at, checked_at)
     SELECT 'only', 'dump', at, at, at FROM (SELECT now() - $1::interval AS at) AS moment
     ON CONFLICT (id) DO UPDATE SET started_at = excluded.started_at, finished_at = excluded.finished_at,
       checked_at = excluded.checked_at`,
    [age],
  );
}

export function redeem(site: WatchedSite, code: string, cookie: string): Promise<Response> {
  return postForm(site, "/test-promo", { form: "promo", code }, cookie);
}
