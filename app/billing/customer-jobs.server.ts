import { eq } from "drizzle-orm";
import type Stripe from "stripe";
import { user } from "../auth/schema.ts";
import type { Queryable } from "../db/client.server.ts";
import { enqueue } from "../outbox/outbox.server.ts";
import { findCustomer } from "./customer.server.ts";
import { UPDATE_CUSTOMER } from "./job-kinds.server.ts";
import { customers } from "./schema.ts";
import { isMissing } from "./stripe-errors.ts";

/** Asks, in the caller's own transaction, for Stripe to be told a user's name and address, if it knows them at all. */
export async function enqueueCustomerUpdate(tx: Queryable, userId: string): Promise<void> {
  if (await findCustomer(tx, userId)) await enqueue(tx, UPDATE_CUSTOMER, { userId });
}

/**
 * Tells Stripe the name and address a user has now. Safe to repeat; a customer Stripe has no longer is no error.
 *
 * @throws Stripe's errors when it cannot be reached
 */
export async function updateCustomer(stripe: Stripe, db: Queryable, userId: string): Promise<void> {
  let told: Person | null = null;
  for (;;) {
    const person = await findPerson(db, userId);
    // Changed while Stripe was being told: a twin of this job may have told the newer first.
    if (!person || (told && person.email === told.email && person.name === told.name)) return;
    const { customer, email, name } = person;
    await stripe.customers.update(customer, { email, name }).catch(ignoreMissing);
    told = person;
  }
}

/**
 * Deletes a customer whose account is deleted; what they paid for ends with it. Safe to repeat.
 *
 * @throws Stripe's errors when it cannot be reached
 */
export async function deleteCustomer(stripe: Stripe, stripeCustomerId: string): Promise<void> {
  await stripe.customers.del(stripeCustomerId).catch(ignoreMissing);
}

type Person = { customer: string; email: string; name: string };

async function findPerson(db: Queryable, userId: string): Promise<Person | null> {
  const [person] = await db
    .select({ customer: customers.stripeCustomerId, email: user.email, name: user.name })
    .from(customers)
    .innerJoin(user, eq(user.id, customers.userId))
    .where(eq(customers.userId, userId));
  return person ?? null;
}

function ignoreMissing(error: unknown): void {
  if (!isMissing(error)) throw error;
}
