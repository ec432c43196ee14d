import { and, eq } from "drizzle-orm";
import type Stripe from "stripe";
import type { SignedInUser } from "../auth/sessions.server.ts";
import type { Queryable } from "../db/client.server.ts";
import { isForeignKeyViolation } from "../db/constraint-errors.server.ts";
import { enqueue } from "../outbox/outbox.server.ts";
import { withIdempotencyKey } from "./idempotency.server.ts";
import { DELETE_CUSTOMER } from "./job-kinds.server.ts";
import { customers, stripeEvents } from "./schema.ts";

/** The id of the user's Stripe customer, or `null` when they never started a checkout. */
export async function findCustomer(db: Queryable, userId: string): Promise<string | null> {
  const [row] = await db.select().from(customers).where(eq(customers.userId, userId));
  return row?.stripeCustomerId ?? null;
}

/**
 * The id of the user's Stripe customer, created if there is none. Stored before any checkout session exists, so that
 * every payment can be traced to one account. Concurrent calls end with one customer: the idempotency key gives both
 * the same, and the primary key admits one row. If the account is deleted in the meantime, so is the customer.
 */
export async function ensureCustomer(stripe: Stripe, db: Queryable, user: SignedInUser): Promise<string> {
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

/**
 * Creates a new customer for a user whose customer Stripe no longer has: deleted there, or created with other API keys.
 * Its subscriptions have ended at Stripe, so nothing more is lost.
 */
export async function replaceMissingCustomer(
  stripe: Stripe,
  db: Queryable,
  user: SignedInUser,
): Promise<void> {
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
  // The account was deleted in the meantime.
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
