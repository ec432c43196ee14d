import { enterNextPhase } from "../schedules/run-schedule.ts";
import { lockOr404 } from "../store.ts";
import { endSubscription, retryPayment } from "../subscriptions/end.ts";
import { discardPendingUpdate } from "../subscriptions/pending-update.ts";
import { endPeriod } from "../subscriptions/renew.ts";
import { inTransaction, lockCustomers, type Site, type Transaction } from "../transaction.ts";

/** A time at which something falls due for an object: see schema.ts. */
interface Moment {
  id: string;
  what: string;
  at: number;
}

const HANDLERS = new Map<string, (tx: Transaction, id: string, at: number) => Promise<unknown>>([
  ["expire_update", async (tx, id) => discardPendingUpdate(tx, await lockOr404(tx, "subscription", id))],
  ["start_phase", enterNextPhase],
  [
    "cancel",
    async (tx, id, endedAt) => endSubscription(tx, await lockOr404(tx, "subscription", id), { endedAt }),
  ],
  ["end_period", endPeriod],
  ["retry_payment", retryPayment],
]);

/** A safety limit: a moment that did not change its object would be due again forever. */
const MAX_MOMENTS = 10_000;

/**
 * Runs what falls due for the customers until then, in order of time. They must be locked.
 *
 * @param now of each: its own moment, if left out
 */
export async function runMoments(tx: Transaction, customers: string[], until: number, now?: number) {
  for (let count = 0; count < MAX_MOMENTS; count += 1) {
    const moment = await nextMoment(tx, customers, until);
    if (!moment) return;
    const handle = HANDLERS.get(moment.what);
    if (!handle) throw new Error(`Nothing handles ${moment.what} of ${moment.id}`);
    await handle({ ...tx, now: now ?? moment.at, request: null }, moment.id, moment.at);
  }
  throw new Error(`More than ${MAX_MOMENTS} moments until ${until} for ${customers.join(", ")}`);
}

async function nextMoment(tx: Transaction, customers: string[], until: number): Promise<Moment | undefined> {
  const { rows } = await tx.client.query<Moment>(
    `SELECT objects.id, what, at
     FROM sandbox_stripe.objects, LATERAL sandbox_stripe.moments(objects.object)
     WHERE object->>'customer' = ANY($1) AND next_moment <= $2 AND at <= $2
     ORDER BY at, rank, objects.sequence LIMIT 1`,
    [customers, until],
  );
  return rows[0];
}

const BATCH_SIZE = 20;

export async function runOverdueMoments(
  site: Site & { log: (message: string) => void },
  isStopping: () => boolean,
) {
  const failed: string[] = [];
  while (!isStopping()) {
    const customers = await inTransaction(site, null, (tx) => customersWithOverdue(tx, failed));
    if (customers.length === 0) return;
    for (const customer of customers) {
      await inTransaction(site, null, async (tx) => {
        await lockCustomers(tx, [customer]);
        await runMoments(tx, [customer], tx.now, tx.now);
      }).catch((error: unknown) => {
        failed.push(customer);
        const reason = (error instanceof Error && error.stack) || String(error);
        site.log(`Stripe sandbox: what is due for ${customer} failed: ${reason}`);
      });
    }
  }
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
