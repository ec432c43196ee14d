import { eq, inArray, sql } from "drizzle-orm";
import type { Database, Queryable } from "../db/client.server.ts";
import { enqueue } from "../outbox/outbox.server.ts";
import { SYNC_CATALOGUE, SYNC_CUSTOMER } from "./job-kinds.server.ts";
import { customers, stripeEvents, stripeInvoices } from "./schema.ts";

export interface ReceivedEvent {
  id: string;
  type: string;
  created: number;
  /** About products and prices: has no customer. */
  isOfCatalogue: boolean;
  customer: string | null;
  /** Disputes and refunds name nothing else: the payment of an invoice. */
  payment: string | null;
}

/** Stores an event and enqueues its job, for a repeated delivery too: it may be resent because its job had no effect. */
export async function storeEvent(db: Database, event: ReceivedEvent): Promise<void> {
  const { id, type, isOfCatalogue } = event;
  await db.transaction(async (tx) => {
    const customer = event.customer ?? (event.payment && (await findPayer(tx, event.payment)));
    // Locked until the event is stored, so that deleting the account finds it. Of others no customer id is kept.
    const [ours] = customer
      ? await tx
          .select({ customerId: customers.stripeCustomerId })
          .from(customers)
          .where(eq(customers.stripeCustomerId, customer))
          .for("key share")
      : [];
    const isHandled = !customer && !isOfCatalogue;
    const stored = tx.insert(stripeEvents).values({
      id,
      type,
      created: new Date(event.created * 1000),
      customerId: ours?.customerId ?? null,
      handledAt: isHandled ? sql`now()` : null,
    });
    await (isHandled
      ? stored.onConflictDoUpdate({ target: stripeEvents.id, set: { handledAt: sql`now()` } })
      : stored.onConflictDoNothing());
    if (isOfCatalogue) await enqueue(tx, SYNC_CATALOGUE, {}, id);
    else if (customer) await enqueue(tx, SYNC_CUSTOMER, { stripeCustomerId: customer }, id);
  });
}

async function findPayer(tx: Queryable, payment: string): Promise<string | null> {
  const [payer] = await tx
    .select({ customer: customers.stripeCustomerId })
    .from(stripeInvoices)
    .innerJoin(customers, eq(customers.userId, stripeInvoices.userId))
    .where(eq(stripeInvoices.paymentIntentId, payment))
    .limit(1);
  return payer?.customer ?? null;
}

/** Records that the jobs of these events are done. */
export async function markEventsHandled(db: Queryable, eventIds: string[]): Promise<void> {
  if (eventIds.length === 0) return;
  await db.update(stripeEvents).set({ handledAt: sql`now()` }).where(inArray(stripeEvents.id, eventIds));
}
