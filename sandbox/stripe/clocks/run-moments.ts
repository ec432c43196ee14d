import { inTransaction, type Site, type Transaction } from "../transaction.ts";
import { lockCustomers } from "./clock-time.ts";
import { handleMoment, type Moment } from "./handle-moment.ts";

/** More than anything can need: a moment that did not change its object would come back for ever. */
const MAX_MOMENTS = 10_000;

/** Runs what falls due for the customers until then, in order of time, each at its own moment. They must be locked. */
export async function runMoments(tx: Transaction, customers: string[], until: number): Promise<void> {
  for (let count = 0; count < MAX_MOMENTS; count += 1) {
    const moment = await nextMoment(tx, customers, until);
    if (!moment) return;
    await handleMoment({ ...tx, now: moment.at, request: null }, moment);
  }
  throw new Error(`More than ${MAX_MOMENTS} moments until ${until} for ${customers.join(", ")}`);
}

const BATCH_SIZE = 20;

/** Runs what is due now for the customers who live in real time, each in a transaction of their own. */
export async function runOverdueMoments(site: Overdue, isStopping: () => boolean): Promise<void> {
  const failed = new Set<string>();
  while (!isStopping()) {
    const customers = await inTransaction(site, null, (tx) => customersWithOverdue(tx, [...failed]));
    if (customers.length === 0) return;
    for (const customer of customers) {
      await inTransaction(site, null, (tx) => runOverdue(tx, customer)).catch((error: unknown) => {
        failed.add(customer);
        site.log(`Stripe sandbox: what is due for ${customer} failed: ${reasonOf(error)}`);
      });
    }
  }
}

interface Overdue extends Site {
  log: (message: string) => void;
}

function reasonOf(error: unknown): string {
  return (error instanceof Error && error.stack) || String(error);
}

async function runOverdue(tx: Transaction, customer: string): Promise<void> {
  await lockCustomers(tx, [customer]);
  for (let count = 0; count < MAX_MOMENTS; count += 1) {
    const moment = await nextMoment(tx, [customer], tx.now);
    if (!moment) return;
    await handleMoment(tx, moment);
  }
  throw new Error(`More than ${MAX_MOMENTS} moments until ${tx.now} for ${customer}`);
}

async function nextMoment(tx: Transaction, customers: string[], until: number): Promise<Moment | undefined> {
  const { rows } = await tx.client.query<Moment>(
    `SELECT objects.id, what, at
     FROM sandbox_stripe.objects,
       LATERAL sandbox_stripe.moments(objects.object, objects.told_upcoming, objects.told_trial)
     WHERE object->>'customer' = ANY($1) AND next_moment <= $2 AND at <= $2
     ORDER BY at, rank, objects.sequence LIMIT 1`,
    [customers, until],
  );
  return rows[0];
}

async function customersWithOverdue(tx: Transaction, except: string[]): Promise<string[]> {
  const { rows } = await tx.client.query<{ customer: string }>(
    `SELECT customer.id AS customer
     FROM sandbox_stripe.objects AS due
     JOIN sandbox_stripe.objects AS customer ON customer.id = due.object->>'customer'
     WHERE due.next_moment <= $1 AND customer.object->>'test_clock' IS NULL AND customer.id <> ALL($3)
     GROUP BY customer.id ORDER BY min(due.next_moment) LIMIT $2`,
    [tx.now, BATCH_SIZE, except],
  );
  return rows.map(({ customer }) => customer);
}
