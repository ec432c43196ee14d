import { asc, eq } from "drizzle-orm";
import {
  billingNotices,
  checkoutAttempts,
  customers,
  planChanges,
  renewalConsents,
  stripeEvents,
  stripeInvoices,
  stripeSubscriptions,
  withdrawals,
} from "../billing/schema.ts";
import type { Queryable } from "../db/client.server.ts";

export async function paymentsOf(tx: Queryable, userId: string) {
  const [customer] = await tx.select().from(customers).where(eq(customers.userId, userId));
  return {
    stripeCustomer: customer?.stripeCustomerId ?? null,
    customerSince: customer?.createdAt ?? null,
    card: customer?.paymentMethodId
      ? {
          paymentMethod: customer.paymentMethodId,
          brand: customer.cardBrand,
          last4: customer.cardLast4,
          expiryMonth: customer.cardExpMonth,
          expiryYear: customer.cardExpYear,
        }
      : null,
    subscriptions: await subscriptionsOf(tx, userId),
    invoices: await invoicesOf(tx, userId),
    paymentPages: await paymentPagesOf(tx, userId),
    changesAskedFor: await changesOf(tx, userId),
    renewalTermsAgreedTo: await consentsOf(tx, userId),
    withdrawals: await withdrawalsOf(tx, userId),
    emailsAboutPlan: await noticesOf(tx, userId),
    newsFromStripe: customer ? await eventsOf(tx, customer.stripeCustomerId) : [],
  };
}

function subscriptionsOf(tx: Queryable, userId: string) {
  return tx
    .select({
      id: stripeSubscriptions.id,
      price: stripeSubscriptions.priceId,
      tier: stripeSubscriptions.tier,
      taxed: stripeSubscriptions.isTaxed,
      status: stripeSubscriptions.status,
      startedAt: stripeSubscriptions.startedAt,
      currentPeriodStart: stripeSubscriptions.currentPeriodStart,
      currentPeriodEnd: stripeSubscriptions.currentPeriodEnd,
      accessUntil: stripeSubscriptions.accessUntil,
      trialEnd: stripeSubscriptions.trialEnd,
      daysGiven: stripeSubscriptions.daysGiven,
      cancelAt: stripeSubscriptions.cancelAt,
      canceledAt: stripeSubscriptions.canceledAt,
      endedAt: stripeSubscriptions.endedAt,
      pause: stripeSubscriptions.pauseBehavior,
      resumesAt: stripeSubscriptions.resumesAt,
      nextPrice: stripeSubscriptions.nextPriceId,
      schedule: stripeSubscriptions.scheduleId,
      nextAmount: stripeSubscriptions.nextAmount,
      nextPaymentAt: stripeSubscriptions.nextPaymentAt,
    })
    .from(stripeSubscriptions)
    .where(eq(stripeSubscriptions.userId, userId))
    .orderBy(asc(stripeSubscriptions.startedAt));
}

async function invoicesOf(tx: Queryable, userId: string) {
  const rows = await tx
    .select()
    .from(stripeInvoices)
    .where(eq(stripeInvoices.userId, userId))
    .orderBy(asc(stripeInvoices.createdAt));
  return rows.map(({ userId: _owner, syncTicket: _ticket, updatedAt: _stored, ...invoice }) => invoice);
}

function paymentPagesOf(tx: Queryable, userId: string) {
  return tx
    .select({
      session: checkoutAttempts.sessionId,
      price: checkoutAttempts.priceId,
      successUrl: checkoutAttempts.successUrl,
      cancelUrl: checkoutAttempts.cancelUrl,
      openedAt: checkoutAttempts.createdAt,
      returnedAt: checkoutAttempts.returnedAt,
      status: checkoutAttempts.status,
    })
    .from(checkoutAttempts)
    .where(eq(checkoutAttempts.userId, userId))
    .orderBy(asc(checkoutAttempts.createdAt));
}

function changesOf(tx: Queryable, userId: string) {
  return tx
    .select({
      subscription: planChanges.subscriptionId,
      kind: planChanges.kind,
      price: planChanges.priceId,
      calculatedFrom: planChanges.prorationDate,
      reason: planChanges.reason,
      comment: planChanges.comment,
      askedAt: planChanges.requestedAt,
      doneAt: planChanges.appliedAt,
    })
    .from(planChanges)
    .where(eq(planChanges.userId, userId))
    .orderBy(asc(planChanges.requestedAt));
}

function consentsOf(tx: Queryable, userId: string) {
  return tx
    .select({
      price: renewalConsents.priceId,
      subscription: renewalConsents.subscriptionId,
      textVersion: renewalConsents.textVersion,
      text: renewalConsents.text,
      agreedAt: renewalConsents.agreedAt,
    })
    .from(renewalConsents)
    .where(eq(renewalConsents.userId, userId))
    .orderBy(asc(renewalConsents.agreedAt));
}

function withdrawalsOf(tx: Queryable, userId: string) {
  return tx
    .select({
      subscription: withdrawals.subscriptionId,
      name: withdrawals.name,
      email: withdrawals.email,
      declaredAt: withdrawals.declaredAt,
    })
    .from(withdrawals)
    .where(eq(withdrawals.userId, userId))
    .orderBy(asc(withdrawals.declaredAt));
}

function noticesOf(tx: Queryable, userId: string) {
  return tx
    .select({ kind: billingNotices.kind, about: billingNotices.subject, sentAt: billingNotices.createdAt })
    .from(billingNotices)
    .where(eq(billingNotices.userId, userId))
    .orderBy(asc(billingNotices.createdAt));
}

function eventsOf(tx: Queryable, stripeCustomerId: string) {
  return tx
    .select({
      customer: stripeEvents.customerId,
      kind: stripeEvents.type,
      happenedAt: stripeEvents.created,
      receivedAt: stripeEvents.receivedAt,
    })
    .from(stripeEvents)
    .where(eq(stripeEvents.customerId, stripeCustomerId))
    .orderBy(asc(stripeEvents.receivedAt), asc(stripeEvents.id));
}
