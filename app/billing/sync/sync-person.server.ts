import { eq } from "drizzle-orm";
import Stripe from "stripe";
import { type Actor, recordChange } from "../../audit/record-change.server.ts";
import { user } from "../../auth/schema.ts";
import type { Database } from "../../db/client.server.ts";
import { isForeignKeyViolation } from "../../db/constraint-errors.server.ts";
import { findCustomer } from "../customer.server.ts";
import { customers } from "../schema.ts";
import { type BillingApp, isMissing, nullIfMissing } from "../stripe.server.ts";
import { driftBetween, readStored, type Stored } from "./reconcile.server.ts";
import { syncCustomer } from "./sync-customer.server.ts";

/**
 * For the operator; adopts a customer that is missing here. @param customerHint adopted only if it carries their id
 * @returns `no_customer`: never opened a payment page; `unknown_customer`: Stripe does not have theirs, as with other keys
 */
export async function syncPerson(app: BillingApp, actor: Actor, userId: string, customerHint?: string) {
  const { config, db, payments, log } = app;
  const [person] = await db.select({ email: user.email }).from(user).where(eq(user.id, userId));
  if (!person) return "no_account";
  if (!payments.isOn) return "payments_off";
  try {
    const stored = await readStored(db, userId);
    const before = summaryOf(stored);
    const customer =
      (await findCustomer(db, userId)) ??
      (await adoptCustomer(payments.stripe, db, actor, { id: userId, ...person }, customerHint));
    if (!customer) return "no_customer";
    const foreignSubscriptions = await syncCustomer({ stripe: payments.stripe, db, config }, customer);
    const synced = await readStored(db, userId);
    await recordChange(db, actor, {
      action: "user.synced",
      subject: `user:${userId}`,
      before,
      after: { ...summaryOf(synced), ...(foreignSubscriptions.length > 0 && { foreignSubscriptions }) },
    });
    const drift = driftBetween(stored, synced, customer);
    return before.customer === customer && drift.length === 0 ? "same" : "changed";
  } catch (error) {
    if (isForeignKeyViolation(error)) return "no_account";
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    if (isMissing(error)) return "unknown_customer";
    log.warn({ error }, "an operator could not sync a person with Stripe");
    return "stripe_away";
  }
}

function summaryOf(stored: Stored) {
  const pick = (what: string, columns: readonly string[]) =>
    [...stored]
      .filter(([key]) => key.startsWith(what))
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([, row]) => Object.fromEntries(columns.map((column) => [column, row[column]])));
  return {
    customer: stored.get("card")?.stripeCustomerId ?? null,
    subscriptions: pick("subscription", ["id", "status", "tier", "accessUntil", "cancelAt"]),
    invoices: pick("invoice", ["id", "status", "amountPaid", "amountRefunded", "refundFailed"]),
  };
}

async function adoptCustomer(
  stripe: Stripe,
  db: Database,
  actor: Actor,
  { id, email }: { id: string; email: string },
  hint: string | undefined,
): Promise<string | null> {
  const { data } = await stripe.customers.list({ email, limit: 100 });
  const hinted = hint === undefined ? null : await nullIfMissing(stripe.customers.retrieve(hint));
  const known = hinted && !hinted.deleted ? [hinted, ...data] : data;
  const theirs = known.filter(({ metadata }) => metadata.user_id === id);
  const [first] = theirs;
  if (!first) return null;
  let chosen = first.id;
  for (const { id: customer } of theirs) {
    const subscriptions = await stripe.subscriptions.list({ customer, limit: 1 });
    if (subscriptions.data.length === 0) continue;
    chosen = customer;
    break;
  }
  // Its own transaction: the sync may fail while Stripe is away, and the customer stays.
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
