import { sql } from "drizzle-orm";
import type { Queryable } from "../../db/client.server.ts";
import type { App } from "../../http/context.server.ts";
import { defineJob } from "../../outbox/outbox.server.ts";
import { type Reconciliation, reconcile } from "./reconcile.server.ts";

export const RECONCILE = defineJob<Record<string, never>>("reconcile", () => "nightly");

/**
 * Enqueues the night's comparison with Stripe between 3 and 6 o'clock UTC, once. A job survives the restart of its
 * process, and one process of many takes it. Nothing to compare on a site that had no customer yesterday.
 */
export async function enqueueNightlyReconciliation(db: Queryable, now = sql`now()`): Promise<void> {
  await db.execute(sql`
    INSERT INTO outbox (kind, dedupe_key, payload)
    SELECT 'reconcile', 'nightly', '{}'
    WHERE extract(hour FROM ${now} AT TIME ZONE 'UTC') BETWEEN 3 AND 5
      AND NOT EXISTS (SELECT FROM outbox WHERE kind = 'reconcile' AND created_at > ${now} - interval '12 hours')
      AND EXISTS (SELECT FROM customers WHERE created_at < ${now} - interval '1 day')
    ON CONFLICT DO NOTHING`);
}

/**
 * The night's comparison as a job: what it mended is logged.
 *
 * @param keep takes what was found, for the operator
 * @throws when it has to be done again: another process is at it, this one stops, or Stripe did not answer
 */
export async function reconcileNightly(
  { config, db, log, payments }: Pick<App, "config" | "db" | "log" | "payments">,
  stop: () => boolean,
  keep: (found: Reconciliation) => Promise<void>,
): Promise<void> {
  if (!payments.isOn) return;
  const found = await reconcile(payments.stripe, db, config, stop);
  if (!found) throw new Error("another process compares the customers with Stripe");
  if (!found.isComplete && stop()) throw new Error("the process ends; another one compares");
  await keep(found);
  const { customers } = found;
  if (hasFailed(found)) log.error(logged(found), "not all customers could be compared with Stripe");
  else if (found.drift.length > 0) log.warn(logged(found), "what differed from Stripe is mended");
  else log.info({ customers }, "all customers are as Stripe has them");
  if (!found.isComplete) throw new Error("the comparison with Stripe was not finished");
}

/** Whether something is left that a person has to look at. */
export function hasFailed({ failed, orphans, isComplete }: Reconciliation): boolean {
  return failed.length > 0 || orphans.length > 0 || !isComplete;
}

/** How much of each kind differed. */
export function countByKind({ drift }: Pick<Reconciliation, "drift">): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { kind } of drift) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

function logged(found: Reconciliation) {
  const { customers, failed, orphans } = found;
  return { customers, drift: countByKind(found), failed: failed.length, orphans };
}
