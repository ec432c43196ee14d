import { eq } from "drizzle-orm";
import Stripe from "stripe";
import type { Queryable } from "../db/client.server.ts";
import { enqueueMail } from "../mail/enqueue-mail.server.ts";
import { enqueue } from "../outbox/outbox.server.ts";
import type { Site } from "../ui/site.ts";
import { closeAttempt, findOpenAttempt } from "./checkout-attempt.server.ts";
import { findCustomer } from "./customer.server.ts";
import { DELETE_CUSTOMER } from "./job-kinds.server.ts";
import { disputedRefundMessage, returnedRefundMessage } from "./notices/payment-messages.ts";
import { findOpenSubscription } from "./open-subscription.server.ts";
import { applyPlanChange } from "./plan/apply-plan-change.server.ts";
import {
  listDisputedRefunds,
  listOwedRefunds,
  listReturnedRefunds,
} from "./plan/plan-change-request.server.ts";
import {
  billingNotices,
  checkoutAttempts,
  customers,
  stripeEvents,
  stripeInvoices,
  stripeSubscriptions,
} from "./schema.ts";
import { type BillingApp, isMissing, nullIfMissing } from "./stripe.server.ts";
import { syncCustomer } from "./sync/sync-customer.server.ts";

/**
 * Ends at Stripe everything a user pays for or could still pay. Safe to repeat.
 * @returns `paid_meanwhile`: they pay for another subscription than `shownSubscription`, and nothing was ended
 */
export async function endPayments(
  app: BillingApp,
  userId: string,
  shownSubscription: string | null,
): Promise<"ended" | "paid_meanwhile" | "payments_away"> {
  const { db, payments, log } = app;
  const customer = await findCustomer(db, userId);
  if (!customer) return "ended";
  if (!payments.isOn) return "payments_away";
  const { stripe } = payments;
  const stripeApp = { ...app, stripe };
  try {
    // First, because a deleted account cannot be refunded.
    for (const { subscriptionId } of await listOwedRefunds(db, userId))
      await applyPlanChange(stripeApp, subscriptionId);
    const attempt = await findOpenAttempt(db, userId);
    // A paid attempt stays open until the sync has stored its subscription.
    if (attempt) await closeAttempt(stripeApp, attempt.id);
    await syncCustomer(stripeApp, customer);
    const open = await findOpenSubscription(db, userId);
    if (!open) return "ended";
    if (open.id !== shownSubscription) return "paid_meanwhile";
    // The mail about the deletion says that the plan has ended.
    await db.insert(billingNotices).values({ kind: "ended", subject: open.id, userId }).onConflictDoNothing();
    // A concurrent request may have canceled it; the sync fetches the result.
    await nullIfMissing(stripe.subscriptions.cancel(open.id));
    await syncCustomer(stripeApp, customer);
    return "ended";
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    // A customer missing at Stripe pays for nothing, unless these are another account's keys.
    if (isMissing(error) && !(await findOpenSubscription(db, userId))) return "ended";
    log.error({ error }, "an account could not be deleted because of Stripe");
    return "payments_away";
  }
}

/**
 * Call with the user locked. Refunds that wait for a bank, or that one sent back, are handed to the operator.
 * @returns whether they ever paid; `null`: nothing was deleted, because something is or could be paid, or is owed
 */
export async function deletePaymentRecords(
  tx: Queryable,
  userId: string,
  site: Site,
): Promise<{ hadPaidPlan: boolean } | null> {
  if (await findOpenAttempt(tx, userId)) return null;
  if (await findOpenSubscription(tx, userId)) return null;
  if ((await listOwedRefunds(tx, userId)).length > 0) return null;
  const stripeCustomerId = await findCustomer(tx, userId);
  const disputed = await listDisputedRefunds(tx, userId);
  if (disputed.length > 0 && site.supportEmail)
    await enqueueMail(tx, site, disputedRefundMessage(site.supportEmail, disputed), { isListed: false });
  const returned = await listReturnedRefunds(tx, userId);
  if (returned.length > 0 && site.supportEmail)
    await enqueueMail(tx, site, returnedRefundMessage(site.supportEmail, returned), { isListed: false });
  await tx.delete(checkoutAttempts).where(eq(checkoutAttempts.userId, userId));
  await tx.delete(stripeInvoices).where(eq(stripeInvoices.userId, userId));
  const paidPlans = await tx.delete(stripeSubscriptions).where(eq(stripeSubscriptions.userId, userId));
  await tx.delete(customers).where(eq(customers.userId, userId));
  // After the customer: a concurrent event either waited for that row or is found here (store-event.server.ts).
  if (stripeCustomerId) {
    await tx
      .update(stripeEvents)
      .set({ customerId: null })
      .where(eq(stripeEvents.customerId, stripeCustomerId));
    await enqueue(tx, DELETE_CUSTOMER, { stripeCustomerId });
  }
  return { hadPaidPlan: (paidPlans.rowCount ?? 0) > 0 };
}
