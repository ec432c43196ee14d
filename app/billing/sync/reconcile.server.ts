import { asc, eq, gt, sql } from "drizzle-orm";
import Stripe from "stripe";
import { withAdvisoryLock } from "../../db/advisory-lock.server.ts";
import type { Database, Queryable } from "../../db/client.server.ts";
import { defineJob } from "../../outbox/outbox.server.ts";
import { SYNC_CUSTOMER } from "../job-kinds.server.ts";
import { customers, stripeInvoices, stripeSubscriptions } from "../schema.ts";
import type { BillingApp, StripeApp } from "../stripe.server.ts";
import { adoptCustomers, type IsStopping, retry, TooManyFailures } from "./adopt-customers.server.ts";
import { syncCustomer } from "./sync-customer.server.ts";

export const RECONCILE = defineJob<Record<string, never>>("reconcile", () => "nightly");

/** Once a night, between 3 and 6 UTC, if there is a customer older than a day. */
export async function enqueueNightlyReconciliation(db: Queryable, now = sql`now()`): Promise<void> {
  await db.execute(sql`
    INSERT INTO outbox (kind, dedupe_key, payload)
    SELECT ${RECONCILE.name}, 'nightly', '{}'
    WHERE extract(hour FROM ${now} AT TIME ZONE 'UTC') BETWEEN 3 AND 5
      -- A literal, as in the condition of its index.
      AND NOT EXISTS (SELECT FROM outbox WHERE kind = 'reconcile' AND created_at > ${now} - interval '12 hours')
      AND EXISTS (SELECT FROM customers WHERE created_at < ${now} - interval '1 day')
    ON CONFLICT DO NOTHING`);
}

/** @throws to be retried: another runs, this one stops, or Stripe did not answer */
export async function reconcileNightly(
  { config, db, log, payments }: BillingApp,
  isStopping: IsStopping,
  keep: (found: Reconciliation) => Promise<void>,
): Promise<void> {
  if (!payments.isOn) return;
  const found = await reconcile({ stripe: payments.stripe, db, config }, isStopping);
  if (!found) throw new Error("another process compares the customers with Stripe");
  if (!found.isComplete && isStopping()) throw new Error("the process ends; another one compares");
  await keep(found);
  const { customers } = found;
  if (hasFailed(found)) log.error(logged(found), "not all customers could be compared with Stripe");
  else if (found.drift.length > 0) log.warn(logged(found), "what differed from Stripe is mended");
  else log.info({ customers }, "all customers are as Stripe has them");
  if (!found.isComplete) throw new Error("the comparison with Stripe was not finished");
}

export function hasFailed({ failed, orphans, isComplete }: Reconciliation): boolean {
  return failed.length > 0 || orphans.length > 0 || !isComplete;
}

export function countByKind({ drift }: Pick<Reconciliation, "drift">): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { kind } of drift) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

function logged(found: Reconciliation) {
  const { customers, failed, orphans } = found;
  return { customers, drift: countByKind(found), failed: failed.length, orphans };
}

export interface Reconciliation {
  customers: number;
  drift: Drift[];
  foreignSubscriptions: string[];
  /** Subscriptions to our plans without a user here: paid, but without access. */
  orphans: { subscription: string; stripeCustomerId: string }[];
  failed: { stripeCustomerId: string | null; reason: string }[];
  isComplete: boolean;
}

const RECONCILE_LOCK = 7_130_012;
/** Five requests each stay well below the 25 a second of Stripe's test mode. */
const CONCURRENCY = 3;
const PAGE_SIZE = 500;

/** Every customer, unknown ones too; repairs differences. One run at a time. @returns `null`: another runs */
export function reconcile(
  app: StripeApp,
  isStopping: IsStopping = () => false,
): Promise<Reconciliation | null> {
  return withAdvisoryLock(app.db, RECONCILE_LOCK, async () => {
    const found: Reconciliation = {
      customers: 0,
      drift: [],
      foreignSubscriptions: [],
      orphans: [],
      failed: [],
      isComplete: false,
    };
    try {
      const adopted = await adoptCustomers(app, isStopping);
      found.orphans = adopted.orphans;
      for (const stripeCustomerId of adopted.customers)
        found.drift.push({ kind: "customer missing", stripeCustomerId });
      await compareAll(app, isStopping, found);
      found.isComplete = !isStopping();
    } catch (error) {
      if (error instanceof Stripe.errors.StripeError)
        found.failed.push({ stripeCustomerId: null, reason: error.message });
      else if (!(error instanceof TooManyFailures)) throw error;
    }
    return found;
  });
}

async function compareAll(app: StripeApp, isStopping: IsStopping, found: Reconciliation): Promise<void> {
  let last = "";
  let failuresInARow = 0;
  for (;;) {
    const page = await app.db
      .select()
      .from(customers)
      .where(gt(customers.userId, last))
      .orderBy(asc(customers.userId))
      .limit(PAGE_SIZE);
    const queue = [...page];
    const compareQueue = async () => {
      for (let customer = queue.shift(); customer && !isStopping(); customer = queue.shift()) {
        const { stripeCustomerId } = customer;
        try {
          await compare(app, isStopping, customer, found);
          failuresInARow = 0;
        } catch (error) {
          const reason = error instanceof Error ? error.message : String(error);
          found.failed.push({ stripeCustomerId, reason });
          if (++failuresInARow >= TooManyFailures.LIMIT) throw new TooManyFailures();
        }
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, compareQueue));
    last = page.at(-1)?.userId ?? "";
    if (page.length < PAGE_SIZE || isStopping()) return;
  }
}

async function compare(
  app: StripeApp,
  isStopping: IsStopping,
  { userId, stripeCustomerId }: typeof customers.$inferSelect,
  found: Reconciliation,
): Promise<void> {
  const before = await readStored(app.db, userId);
  const isHeard = await isSyncWaiting(app.db, stripeCustomerId);
  const foreign = await retry(() => syncCustomer(app, stripeCustomerId), isStopping);
  const after = await readStored(app.db, userId);
  found.customers++;
  found.foreignSubscriptions.push(...foreign);
  // A recent change with a received event is no drift.
  if (!isHeard) found.drift.push(...driftBetween(before, after, stripeCustomerId));
}

async function isSyncWaiting(db: Database, stripeCustomerId: string): Promise<boolean> {
  const { rowCount } = await db.execute(sql`
    SELECT FROM outbox
    WHERE kind = ${SYNC_CUSTOMER.name} AND dedupe_key = ${stripeCustomerId} AND done_at IS NULL LIMIT 1`);
  return rowCount === 1;
}

export type Stored = Map<string, Record<string, unknown>>;

const BOOKKEEPING = ["syncTicket", "updatedAt", "syncedAt"];

export async function readStored(db: Queryable, userId: string): Promise<Stored> {
  const [subscriptions, invoices, [customer]] = await Promise.all([
    db.select().from(stripeSubscriptions).where(eq(stripeSubscriptions.userId, userId)),
    db.select().from(stripeInvoices).where(eq(stripeInvoices.userId, userId)),
    db.select().from(customers).where(eq(customers.userId, userId)),
  ]);
  return new Map<string, Record<string, unknown>>([
    ...subscriptions.map((row) => [`subscription ${row.id}`, row] as const),
    ...invoices.map((row) => [`invoice ${row.id}`, row] as const),
    ...(customer ? [["card", customer] as const] : []),
  ]);
}

export interface Drift {
  kind:
    | "customer missing"
    | "subscription missing"
    | "subscription differs"
    | "invoice missing"
    | "invoice differs"
    | "invoice gone"
    | "card differs";
  stripeCustomerId: string;
  id?: string;
  columns?: string[];
}

export function driftBetween(before: Stored, after: Stored, stripeCustomerId: string): Drift[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((key): Drift[] => {
    const [what, id] = key.split(" ") as ["subscription" | "invoice" | "card", string?];
    const thing = { stripeCustomerId, ...(id && { id }) };
    const [one, other] = [before.get(key), after.get(key)];
    if (!one) return what === "card" ? [] : [{ kind: `${what} missing`, ...thing }];
    if (!other) return what === "invoice" ? [{ kind: "invoice gone", ...thing }] : [];
    const columns = Object.keys(other).filter(
      (column) => !BOOKKEEPING.includes(column) && String(one[column]) !== String(other[column]),
    );
    return columns.length > 0 ? [{ kind: `${what} differs`, ...thing, columns }] : [];
  });
}
