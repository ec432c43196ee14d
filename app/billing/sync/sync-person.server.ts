import { asc, eq } from "drizzle-orm";
import Stripe from "stripe";
import { type Actor, recordChange } from "../../audit/record-change.server.ts";
import { user } from "../../auth/schema.ts";
import type { Database } from "../../db/client.server.ts";
import { isForeignKeyViolation } from "../../db/constraint-errors.server.ts";
import type { App } from "../../http/context.server.ts";
import { findCustomer } from "../customer.server.ts";
import { customers, stripeInvoices, stripeSubscriptions } from "../schema.ts";
import { isMissing } from "../stripe.server.ts";
import { driftBetween, readStored } from "./reconcile.server.ts";
import { syncCustomer } from "./sync-customer.server.ts";

/**
 * - `changed`, `same`: what is stored now is what Stripe has; whether anything was different
 * - `no_customer`: Stripe has nobody with their number: they never opened a payment page
 * - `unknown_customer`: Stripe does not know the customer stored here, as with the keys of another account
 * - `payments_off`, `stripe_away`: nobody could be asked, and nothing was changed
 */
export type PersonSync =
  | "changed"
  | "same"
  | "no_customer"
  | "unknown_customer"
  | "payments_off"
  | "stripe_away"
  | "no_account";

/**
 * Asks Stripe about one person, for the operator who hears that somebody was charged and has no access: stores their customer
 * if it is missing here, then syncs it. Safe to repeat.
 *
 * @param customerHint a customer the operator came from, adopted only if it carries the person's number
 */
export async function syncPerson(
  app: Pick<App, "config" | "db" | "payments" | "log">,
  actor: Actor,
  userId: string,
  customerHint?: string,
): Promise<PersonSync> {
  const { config, db, payments, log } = app;
  const [person] = await db.select({ email: user.email }).from(user).where(eq(user.id, userId));
  if (!person) return "no_account";
  if (!payments.isOn) return "payments_off";
  try {
    const [before, stored] = await Promise.all([summaryOf(db, userId), readStored(db, userId)]);
    const customer =
      (await findCustomer(db, userId)) ??
      (await adoptCustomer(payments.stripe, db, actor, { id: userId, ...person }, customerHint));
    if (!customer) return "no_customer";
    const foreignSubscriptions = await syncCustomer(payments.stripe, db, config, customer);
    const after = await summaryOf(db, userId);
    await recordChange(db, actor, {
      action: "user.synced",
      subject: `user:${userId}`,
      before,
      after: { ...after, ...(foreignSubscriptions.length > 0 && { foreignSubscriptions }) },
    });
    const drift = driftBetween(stored, await readStored(db, userId), customer);
    return before.customer === customer && drift.length === 0 ? "same" : "changed";
  } catch (error) {
    // Deleted while Stripe was asked.
    if (isForeignKeyViolation(error)) return "no_account";
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    if (isMissing(error)) return "unknown_customer";
    log.warn({ error }, "an operator could not sync a person with Stripe");
    return "stripe_away";
  }
}

async function summaryOf(db: Database, userId: string) {
  const [customer, subscriptions, invoices] = await Promise.all([
    findCustomer(db, userId),
    db
      .select({
        id: stripeSubscriptions.id,
        status: stripeSubscriptions.status,
        tier: stripeSubscriptions.tier,
        accessUntil: stripeSubscriptions.accessUntil,
        cancelAt: stripeSubscriptions.cancelAt,
      })
      .from(stripeSubscriptions)
      .where(eq(stripeSubscriptions.userId, userId))
      .orderBy(asc(stripeSubscriptions.id)),
    db
      .select({
        id: stripeInvoices.id,
        status: stripeInvoices.status,
        amountPaid: stripeInvoices.amountPaid,
        amountRefunded: stripeInvoices.amountRefunded,
      })
      .from(stripeInvoices)
      .where(eq(stripeInvoices.userId, userId))
      .orderBy(asc(stripeInvoices.id)),
  ]);
  return { customer, subscriptions, invoices };
}

/**
 * Stores the customer that Stripe has for a user and that is missing here, as after a backup was restored: the one that carries
 * the user's number. Of several, the one with a subscription.
 */
async function adoptCustomer(
  stripe: Stripe,
  db: Database,
  actor: Actor,
  { id, email }: { id: string; email: string },
  hint: string | undefined,
): Promise<string | null> {
  const { data } = await stripe.customers.list({ email, limit: 100 });
  const hinted = hint === undefined ? null : await retrieveCustomer(stripe, hint);
  const theirs = (hinted ? [hinted, ...data] : data).filter(({ metadata }) => metadata.user_id === id);
  const [first] = theirs;
  if (!first) return null;
  let chosen = first.id;
  for (const { id: customer } of theirs) {
    const subscriptions = await stripe.subscriptions.list({ customer, limit: 1 });
    if (subscriptions.data.length === 0) continue;
    chosen = customer;
    break;
  }
  // Signed for by itself: Stripe may be away for the sync that follows, and the customer stays.
  await db.transaction(async (tx) => {
    const { rowCount } = await tx
      .insert(customers)
      .values({ userId: id, stripeCustomerId: chosen })
      .onConflictDoNothing();
    if (!rowCount) return;
    await recordChange(tx, actor, {
      action: "user.customer_adopted",
      subject: `user:${id}`,
      before: { customer: null },
      after: { customer: chosen },
    });
  });
  return findCustomer(db, id);
}

async function retrieveCustomer(stripe: Stripe, id: string): Promise<Stripe.Customer | null> {
  try {
    const found = await stripe.customers.retrieve(id);
    return found.deleted ? null : found;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}
