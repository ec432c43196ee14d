import { eq } from "drizzle-orm";
import type Stripe from "stripe";
import { user } from "../auth/schema.ts";
import type { Queryable } from "../db/client.server.ts";
import { enqueue } from "../outbox/outbox.server.ts";
import { findCustomer } from "./customer.server.ts";
import { UPDATE_CUSTOMER } from "./job-kinds.server.ts";
import { customers } from "./schema.ts";
import { isMissing } from "./stripe-errors.server.ts";

/** Enqueues, in the caller's transaction, an update of the user's name and email at Stripe, if they are a customer. */
export async function enqueueCustomerUpdate(tx: Queryable, userId: string): Promise<void> {
  if (await findCustomer(tx, userId)) await enqueue(tx, UPDATE_CUSTOMER, { userId });
}

/**
 * Sends the user's current name and email to Stripe. Safe to repeat; a customer that Stripe no longer has is no error.
 *
 * @throws Stripe's errors when it cannot be reached
 */
export async function updateCustomer(stripe: Stripe, db: Queryable, userId: string): Promise<void> {
  let sent: CustomerDetails | null = null;
  for (;;) {
    const details = await findCustomerDetails(db, userId);
    // Sent again until unchanged: a concurrent job may have sent newer details before this request arrived.
    if (!details || (sent && details.email === sent.email && details.name === sent.name)) return;
    const { customer, email, name } = details;
    await stripe.customers.update(customer, { email, name }).catch(ignoreMissing);
    sent = details;
  }
}

/**
 * Deletes the customer of a deleted account, which cancels their subscriptions. Safe to repeat.
 *
 * @throws Stripe's errors when it cannot be reached
 */
export async function deleteCustomer(stripe: Stripe, stripeCustomerId: string): Promise<void> {
  await stripe.customers.del(stripeCustomerId).catch(ignoreMissing);
}

type CustomerDetails = { customer: string; email: string; name: string };

async function findCustomerDetails(db: Queryable, userId: string): Promise<CustomerDetails | null> {
  const [details] = await db
    .select({ customer: customers.stripeCustomerId, email: user.email, name: user.name })
    .from(customers)
    .innerJoin(user, eq(user.id, customers.userId))
    .where(eq(customers.userId, userId));
  return details ?? null;
}

function ignoreMissing(error: unknown): void {
  if (!isMissing(error)) throw error;
}
