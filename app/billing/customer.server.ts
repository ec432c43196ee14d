import { and, eq } from "drizzle-orm";
import type Stripe from "stripe";
import type { SignedInUser } from "../auth/signed-in-user.server.ts";
import type { Queryable } from "../db/client.server.ts";
import { isForeignKeyViolation } from "../db/constraint-errors.ts";
import { enqueue } from "../outbox/outbox.server.ts";
import { DELETE_CUSTOMER } from "./job-kinds.server.ts";
import { customers } from "./schema.ts";

/** The user's customer at Stripe, or `null` when they never went to pay. */
export async function findCustomer(db: Queryable, userId: string): Promise<string | null> {
  const [row] = await db.select().from(customers).where(eq(customers.userId, userId));
  return row?.stripeCustomerId ?? null;
}

/**
 * The user's customer at Stripe, made when there is none. Bound to the user before any session exists, so that
 * a payment can always be traced to the one account it belongs to. Two calls at once end with one customer:
 * Stripe answers both the same (idempotency key), and the primary key lets one of them write. An account deleted
 * meanwhile leaves no customer behind.
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
 * Binds the user to a new customer when Stripe has no longer theirs: deleted there, or made with other keys. What
 * it paid for is over at Stripe, so nothing is lost that was not lost already.
 */
export async function replaceMissingCustomer(
  stripe: Stripe,
  db: Queryable,
  user: SignedInUser,
): Promise<void> {
  const missing = await findCustomer(db, user.id);
  if (!missing) return;
  const created = await createCustomer(stripe, user, `customer-${user.id}-after-${missing}`);
  const [bound] = await db
    .update(customers)
    .set({ stripeCustomerId: created })
    .where(and(eq(customers.userId, user.id), eq(customers.stripeCustomerId, missing)))
    .returning();
  // Nobody's: the account was deleted meanwhile.
  const isNobodys = !bound && !(await findCustomer(db, user.id));
  if (isNobodys) await enqueue(db, DELETE_CUSTOMER, { stripeCustomerId: created });
}

async function createCustomer(stripe: Stripe, user: SignedInUser, idempotencyKey: string): Promise<string> {
  const { id } = await stripe.customers.create({ metadata: { user_id: user.id } }, { idempotencyKey });
  // The address may change between two calls, so it is not among the parameters the idempotency key is bound to.
  await stripe.customers.update(id, { email: user.email, name: user.name });
  return id;
}
