import { and, eq } from "drizzle-orm";
import type Stripe from "stripe";
import { user } from "../auth/schema.ts";
import type { SignedInUser } from "../auth/users.server.ts";
import type { Queryable } from "../db/client.server.ts";
import { isForeignKeyViolation } from "../db/constraint-errors.server.ts";
import { enqueue } from "../outbox/outbox.server.ts";
import { DELETE_CUSTOMER, UPDATE_CUSTOMER } from "./job-kinds.server.ts";
import { customers, stripeEvents } from "./schema.ts";
import { nullIfMissing, type StripeApp, withIdempotencyKey } from "./stripe.server.ts";

export async function findCustomer(db: Queryable, userId: string): Promise<string | null> {
  const [row] = await db.select().from(customers).where(eq(customers.userId, userId));
  return row?.stripeCustomerId ?? null;
}

/** Concurrent calls end with one customer: by the idempotency key, and the primary key. */
export async function ensureCustomer({ stripe, db }: StripeApp, user: SignedInUser): Promise<string> {
  const known = await findCustomer(db, user.id);
  if (known) return known;
  const created = await createCustomer(stripe, user, `customer-${user.id}`);
  try {
    await db.insert(customers).values({ userId: user.id, stripeCustomerId: created }).onConflictDoNothing();
  } catch (error) {
    if (isForeignKeyViolation(error)) await enqueue(db, DELETE_CUSTOMER, { stripeCustomerId: created });
    throw error;
  }
  return (await findCustomer(db, user.id)) ?? created;
}

/** Deleted at Stripe, or created with other API keys. */
export async function replaceMissingCustomer({ stripe, db }: StripeApp, user: SignedInUser): Promise<void> {
  const missing = await findCustomer(db, user.id);
  if (!missing) return;
  const created = await createCustomer(stripe, user, `customer-${user.id}-after-${missing}`);
  const [updated] = await db
    .update(customers)
    .set({ stripeCustomerId: created })
    .where(and(eq(customers.userId, user.id), eq(customers.stripeCustomerId, missing)))
    .returning();
  if (updated) {
    await db.update(stripeEvents).set({ customerId: created }).where(eq(stripeEvents.customerId, missing));
  }
  const isOrphaned = !updated && !(await findCustomer(db, user.id));
  if (isOrphaned) await enqueue(db, DELETE_CUSTOMER, { stripeCustomerId: created });
}

async function createCustomer(stripe: Stripe, user: SignedInUser, idempotencyKey: string): Promise<string> {
  const { id } = await withIdempotencyKey(idempotencyKey, (key) =>
    stripe.customers.create({ metadata: { user_id: user.id } }, { idempotencyKey: key }),
  );
  // Not part of the create call: the email may change between retries, and Stripe rejects a key with other parameters.
  await stripe.customers.update(id, { email: user.email, name: user.name });
  return id;
}

export async function enqueueCustomerUpdate(tx: Queryable, userId: string): Promise<void> {
  if (await findCustomer(tx, userId)) await enqueue(tx, UPDATE_CUSTOMER, { userId });
}

/** Safe to repeat. @throws Stripe's errors */
export async function updateCustomer({ stripe, db }: StripeApp, userId: string): Promise<void> {
  let sent: { email: string; name: string } | null = null;
  for (;;) {
    const [details] = await db
      .select({ customer: customers.stripeCustomerId, email: user.email, name: user.name })
      .from(customers)
      .innerJoin(user, eq(user.id, customers.userId))
      .where(eq(customers.userId, userId));
    // Repeated until unchanged: a concurrent job may have sent newer details first.
    if (!details || (sent && details.email === sent.email && details.name === sent.name)) return;
    const { customer, email, name } = details;
    await nullIfMissing(stripe.customers.update(customer, { email, name }));
    sent = { email, name };
  }
}
