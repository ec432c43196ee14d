import { eq } from "drizzle-orm";
import Stripe from "stripe";
import { deletedMessage } from "../../auth/account-notices.ts";
import { lockUser } from "../../auth/lock-user.server.ts";
import { user } from "../../auth/schema.ts";
import { closeAttempt, findOpenAttempt } from "../../billing/checkout-attempt.server.ts";
import { findCustomer } from "../../billing/customer.server.ts";
import { DELETE_CUSTOMER } from "../../billing/job-kinds.server.ts";
import { checkoutAttempts, customers, stripeSubscriptions } from "../../billing/schema.ts";
import { isMissing } from "../../billing/stripe-errors.ts";
import { findOpenSubscription, syncCustomer } from "../../billing/sync.server.ts";
import { isForeignKeyViolation } from "../../db/constraint-errors.ts";
import type { App } from "../../http/context.server.ts";
import { enqueueMail } from "../../mail/enqueue-mail.server.ts";
import { enqueue } from "../../outbox/outbox.server.ts";

type Parts = Pick<App, "config" | "db" | "payments" | "log" | "userHooks">;

/** Somebody may open a new page to pay on while the old one is closed; more often than this somebody plays. */
const ROUNDS = 10;

/**
 * - `paid_meanwhile`: there is a payment that its owner was not shown when they asked; nothing was ended
 * - `payments_away`: what could still be paid cannot be closed, so nothing was deleted
 * - `busy`: the account went on being used
 */
export type Deletion = "deleted" | "paid_meanwhile" | "payments_away" | "busy";

/**
 * Deletes an account. First everything that is or could be paid is ended at Stripe; then one transaction looks again,
 * with the user locked, whether that is still so, and takes all rows at once. Before it nothing is deleted, so
 * that whoever is cut off may press again; after it nobody is left who could be charged. Stripe's own record of the
 * person goes by a job of the same transaction.
 *
 * @param shownSubscription the paid subscription that the person was told will end, or `null`
 */
export async function deleteAccount(
  app: Parts,
  userId: string,
  shownSubscription: string | null,
): Promise<Deletion> {
  for (let round = 0; round < ROUNDS; round++) {
    const payments = await endPayments(app, userId, shownSubscription).catch((error: unknown) => {
      // A twin of this press was first, and what was just heard of Stripe belongs to nobody any more.
      if (isForeignKeyViolation(error)) return "ended" as const;
      throw error;
    });
    if (payments !== "ended") return payments;
    if (await deleteRows(app, userId)) return "deleted";
  }
  return "busy";
}

async function endPayments(
  { db, payments, log }: Parts,
  userId: string,
  shownSubscription: string | null,
): Promise<"ended" | "paid_meanwhile" | "payments_away"> {
  const customer = await findCustomer(db, userId);
  if (!customer) return "ended";
  if (!payments.isOn) return "payments_away";
  const { stripe } = payments;
  try {
    const attempt = await findOpenAttempt(db, userId);
    // One that was paid already stays open until the sync knows what for.
    if (attempt) await closeAttempt(stripe, db, attempt.id);
    await syncCustomer(stripe, db, customer);
    const open = await findOpenSubscription(db, userId);
    if (!open) return "ended";
    if (open.id !== shownSubscription) return "paid_meanwhile";
    // A twin of this press may have been first; the sync says what is true.
    await stripe.subscriptions.cancel(open.id).catch((error: unknown) => {
      if (!isMissing(error)) throw error;
    });
    await syncCustomer(stripe, db, customer);
    return "ended";
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    // With no customer at Stripe there is nothing to end, unless these are the keys of another account.
    if (isMissing(error) && !(await findOpenSubscription(db, userId))) return "ended";
    log.error({ error }, "an account could not be deleted because of Stripe");
    return "payments_away";
  }
}

/** @returns false when something can be paid, or is, and so nothing was deleted */
async function deleteRows({ db, config, userHooks }: Parts, userId: string): Promise<boolean> {
  return db.transaction(async (tx) => {
    const owner = await lockUser(tx, userId);
    if (!owner) return true;
    if (await findOpenAttempt(tx, userId)) return false;
    if (await findOpenSubscription(tx, userId)) return false;
    const stripeCustomerId = await findCustomer(tx, userId);
    await tx.delete(checkoutAttempts).where(eq(checkoutAttempts.userId, userId));
    const paidPlans = await tx.delete(stripeSubscriptions).where(eq(stripeSubscriptions.userId, userId));
    await tx.delete(customers).where(eq(customers.userId, userId));
    await userHooks.beforeAddressGivenUp(tx, owner);
    await tx.delete(user).where(eq(user.id, userId));
    if (stripeCustomerId) await enqueue(tx, DELETE_CUSTOMER, { stripeCustomerId });
    await enqueueMail(
      tx,
      config.site,
      deletedMessage(owner.email, config.site, (paidPlans.rowCount ?? 0) > 0),
    );
    return true;
  });
}
