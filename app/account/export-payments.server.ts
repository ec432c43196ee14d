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
import type { OwnRows } from "./own-rows.server.ts";

export async function paymentsOf(tx: Queryable, userId: string, own: OwnRows) {
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
    subscriptions: await own(stripeSubscriptions, stripeSubscriptions.startedAt, {
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
    }),
    invoices: await invoicesOf(tx, userId),
    paymentPages: await own(checkoutAttempts, checkoutAttempts.createdAt, {
      session: checkoutAttempts.sessionId,
      price: checkoutAttempts.priceId,
      successUrl: checkoutAttempts.successUrl,
      cancelUrl: checkoutAttempts.cancelUrl,
      openedAt: checkoutAttempts.createdAt,
      returnedAt: checkoutAttempts.returnedAt,
      status: checkoutAttempts.status,
    }),
    changesAskedFor: await own(planChanges, planChanges.requestedAt, {
      subscription: planChanges.subscriptionId,
      kind: planChanges.kind,
      price: planChanges.priceId,
      calculatedFrom: planChanges.prorationDate,
      reason: planChanges.reason,
      comment: planChanges.comment,
      askedAt: planChanges.requestedAt,
      doneAt: planChanges.appliedAt,
    }),
    renewalTermsAgreedTo: await own(renewalConsents, renewalConsents.agreedAt, {
      price: renewalConsents.priceId,
      subscription: renewalConsents.subscriptionId,
      textVersion: renewalConsents.textVersion,
      text: renewalConsents.text,
      agreedAt: renewalConsents.agreedAt,
    }),
    withdrawals: await own(withdrawals, withdrawals.declaredAt, {
      subscription: withdrawals.subscriptionId,
      name: withdrawals.name,
      email: withdrawals.email,
      declaredAt: withdrawals.declaredAt,
    }),
    emailsAboutPlan: await own(billingNotices, billingNotices.createdAt, {
      kind: billingNotices.kind,
      about: billingNotices.subject,
      sentAt: billingNotices.createdAt,
    }),
    newsFromStripe: customer ? await eventsOf(tx, customer.stripeCustomerId) : [],
  };
}

async function invoicesOf(tx: Queryable, userId: string) {
  const rows = await tx
    .select()
    .from(stripeInvoices)
    .where(eq(stripeInvoices.userId, userId))
    .orderBy(asc(stripeInvoices.createdAt));
  return rows.map(({ userId: _owner, syncTicket: _ticket, updatedAt: _stored, ...invoice }) => invoice);
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
