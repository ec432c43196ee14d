import { asc, gt, sql } from "drizzle-orm";
import Stripe from "stripe";
import { withAdvisoryLock } from "../../db/advisory-lock.server.ts";
import type { Database } from "../../db/client.server.ts";
import { customers } from "../schema.ts";
import { type SyncSettings, syncCustomer } from "../sync.server.ts";
import { adoptCustomers } from "./adopt-customers.server.ts";
import { patiently, type Stop, TooManyFailures } from "./patience.server.ts";
import { type Drift, driftBetween, readStored } from "./stored.server.ts";

/** What was found, and what became of it. */
export interface Reconciliation {
  /** How many customers were compared. */
  customers: number;
  /** What differed and was mended. */
  drift: Drift[];
  /** Subscriptions of our customers to prices this site does not sell. */
  foreignSubscriptions: string[];
  /** Subscriptions to plans of ours that have no user here: somebody pays for nothing. */
  orphans: { subscription: string; stripeCustomerId: string }[];
  /** Customers that could not be compared, and why; `null`: Stripe's lists could not be read. */
  failed: { stripeCustomerId: string | null; reason: string }[];
  /** Whether all was looked at; false when it was stopped, or Stripe did not answer. */
  isComplete: boolean;
}

const RECONCILE_LOCK = 7_130_012;
/** Customers compared at once: with five requests each far from the 25 a second that Stripe's test mode allows. */
const CONCURRENCY = 3;
const PAGE_SIZE = 500;

/**
 * Compares every customer with Stripe and mends what differs by `syncCustomer`, customers of ours that only Stripe knows
 * included. Safe to run at any time and to repeat; one at a time among all processes.
 *
 * @param stop asked between customers
 * @returns `null` when another process is at it
 */
export function reconcile(
  stripe: Stripe,
  db: Database,
  settings: SyncSettings,
  stop: Stop = () => false,
): Promise<Reconciliation | null> {
  return withAdvisoryLock(db, RECONCILE_LOCK, async () => {
    const found: Reconciliation = {
      ...{ customers: 0, drift: [], foreignSubscriptions: [], orphans: [], failed: [] },
      isComplete: false,
    };
    try {
      const adopted = await adoptCustomers(stripe, db, stop);
      found.orphans = adopted.orphans;
      found.drift.push(
        ...adopted.customers.map((stripeCustomerId) => ({
          kind: "customer missing" as const,
          stripeCustomerId,
        })),
      );
      await compareAll(stripe, db, settings, stop, found);
      found.isComplete = !stop();
    } catch (error) {
      if (error instanceof Stripe.errors.StripeError)
        found.failed.push({ stripeCustomerId: null, reason: error.message });
      else if (!(error instanceof TooManyFailures)) throw error;
    }
    return found;
  });
}

async function compareAll(
  stripe: Stripe,
  db: Database,
  settings: SyncSettings,
  stop: Stop,
  found: Reconciliation,
): Promise<void> {
  let last = "";
  let failuresInARow = 0;
  for (;;) {
    const page = await db
      .select()
      .from(customers)
      .where(gt(customers.userId, last))
      .orderBy(asc(customers.userId))
      .limit(PAGE_SIZE);
    const queue = [...page];
    const compareQueue = async () => {
      for (let customer = queue.shift(); customer && !stop(); customer = queue.shift()) {
        const { stripeCustomerId } = customer;
        try {
          await compare(stripe, db, settings, stop, customer, found);
          failuresInARow = 0;
        } catch (error) {
          found.failed.push({
            stripeCustomerId,
            reason: error instanceof Error ? error.message : String(error),
          });
          if (++failuresInARow >= TooManyFailures.LIMIT) throw new TooManyFailures();
        }
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, compareQueue));
    last = page.at(-1)?.userId ?? "";
    if (page.length < PAGE_SIZE || stop()) return;
  }
}

async function compare(
  stripe: Stripe,
  db: Database,
  settings: SyncSettings,
  stop: Stop,
  { userId, stripeCustomerId }: typeof customers.$inferSelect,
  found: Reconciliation,
): Promise<void> {
  const before = await readStored(db, userId);
  const isHeard = await isSyncWaiting(db, stripeCustomerId);
  const foreign = await patiently(() => syncCustomer(stripe, db, settings, stripeCustomerId), stop);
  const after = await readStored(db, userId);
  found.customers++;
  found.foreignSubscriptions.push(...foreign);
  // What changed a moment ago and has been heard of is no drift.
  if (!isHeard) found.drift.push(...driftBetween(before, after, stripeCustomerId));
}

async function isSyncWaiting(db: Database, stripeCustomerId: string): Promise<boolean> {
  const { rowCount } = await db.execute(sql`
    SELECT FROM outbox
    WHERE kind = 'sync_customer' AND dedupe_key = ${stripeCustomerId} AND done_at IS NULL LIMIT 1`);
  return rowCount === 1;
}
