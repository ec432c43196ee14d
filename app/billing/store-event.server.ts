import { eq, inArray, sql } from "drizzle-orm";
import { z } from "zod";
import type { Database, Queryable } from "../db/client.server.ts";
import { enqueue } from "../outbox/outbox.server.ts";
import { SYNC_CATALOGUE, SYNC_CUSTOMER } from "./job-kinds.server.ts";
import { customers, stripeEvents, stripeInvoices } from "./schema.ts";
import { stripeIdOf } from "./stripe.server.ts";

/** Restricted to characters PostgreSQL can store. */
const stripeId = z.string().regex(/^[\w.-]{1,255}$/);

const stripeReference = z.union([stripeId, z.object({ id: stripeId })]).nullish();

/** The parts of an event that are read (https://docs.stripe.com/api/events/object). */
export const receivedEvent = z
  .object({
    id: stripeId,
    type: stripeId,
    created: z.int().min(0).max(253_402_300_799),
    data: z.object({
      object: z.union([
        z.object({ object: z.literal("customer"), id: stripeId }),
        z.object({
          object: z
            .string()
            .max(255)
            .optional()
            .refine((kind) => kind !== "customer"),
          customer: stripeReference,
          payment_intent: stripeReference,
        }),
      ]),
    }),
  })
  .transform(({ data: { object }, ...event }) => ({
    ...event,
    isOfCatalogue: /^(product|price)\./.test(event.type),
    customer: "id" in object ? object.id : stripeIdOf(object.customer),
    /** Disputes and refunds name only the payment of an invoice. */
    payment: "id" in object ? null : stripeIdOf(object.payment_intent),
  }));

export type ReceivedEvent = z.output<typeof receivedEvent>;

/** A repeated delivery enqueues its job again: it may be resent because the job had no effect. */
export async function storeEvent(db: Database, event: ReceivedEvent): Promise<void> {
  const { id, type, isOfCatalogue } = event;
  await db.transaction(async (tx) => {
    const customer = event.customer ?? (event.payment && (await findPayer(tx, event.payment)));
    // Locked, so that deleting the account finds the event. Other customers' ids are not kept.
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
    if (isOfCatalogue) await enqueue(tx, SYNC_CATALOGUE, {}, { eventId: id });
    else if (customer) await enqueue(tx, SYNC_CUSTOMER, { stripeCustomerId: customer }, { eventId: id });
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

export async function markEventsHandled(db: Queryable, eventIds: string[]): Promise<void> {
  if (eventIds.length === 0) return;
  await db.update(stripeEvents).set({ handledAt: sql`now()` }).where(inArray(stripeEvents.id, eventIds));
}
