import { and, desc, eq, gt, sql } from "drizzle-orm";
import { z } from "zod";
import type { Actor } from "../../audit/record-change.server.ts";
import type { Queryable } from "../../db/client.server.ts";
import { type Failure, failure } from "../../http/errors.ts";
import { refundMessage } from "../notices/payment-messages.ts";
import { prices, products, stripeInvoices } from "../schema.ts";
import type { BillingApp } from "../stripe.server.ts";
import { refundFailureReason } from "./decline-reason.server.ts";
import { enqueueRefunds } from "./end-by-operator.server.ts";
import {
  type AccountHolder,
  CHANGED_SINCE_PREVIEW,
  type Confirmed,
  catchRefusal,
  readFresh,
  recordDecision,
} from "./operator-decision.server.ts";
import { isOver } from "./rules.ts";

/** To the card again, or only noted, because the money went back in another way. */
export const againTerms = z.object({ how: z.enum(["card", "other"]).default("card") });
export type AgainTerms = z.output<typeof againTerms>;

/** The refunds that banks sent back, in minor units. Failures: 409 there is none; 503 Stripe is off or away. */
export function reviewRefundAgain(app: BillingApp, owner: AccountHolder, { how }: AgainTerms) {
  return catchRefusal(async () => {
    const { plan, seen, card, customer, recipient } = await readFresh(app, owner);
    const failed = await listFailedRefunds(app.db, owner.id);
    const [newest] = failed;
    if (!newest) return failure(409, "None of their refunds failed, or it was paid again already.");
    const { currency } = newest;
    const payments = failed.flatMap(({ refundFailure, ...payment }) =>
      payment.currency === currency ? [{ ...payment, why: refundFailureReason(refundFailure) }] : [],
    );
    const mails = payments.map(({ amount, paid, paidAt, number, planName }) =>
      refundMessage(
        {
          plan: planName ?? "your plan",
          tier: plan?.tier ?? null,
          money: { amount, currency },
          paid: { amount: paid, currency, at: paidAt },
          number,
          card,
          access: !plan || isOver(plan.status) ? "ended" : "goes_on",
          endsAt: plan?.cancelAt ?? null,
        },
        recipient,
      ),
    );
    const total = payments.reduce((sum, { amount }) => sum + amount, 0);
    const told = how === "card" ? mails : [];
    return { ok: true as const, payments, total, currency, how, mails: told, seen, customer };
  });
}

/** Pays failed refunds again as previewed, or notes that they were paid in another way, by jobs that are written with the log. */
export function refundAgain(
  app: BillingApp,
  actor: Actor,
  owner: AccountHolder,
  terms: AgainTerms,
  confirmed: Confirmed & { total: number },
): Promise<{ ok: true } | Failure> {
  return catchRefusal(async () => {
    const review = await reviewRefundAgain(app, owner, terms);
    if (!review.ok) return review;
    const { payments, total, currency, how, customer } = review;
    if (total !== confirmed.total) return failure(409, CHANGED_SINCE_PREVIEW);
    await app.db.transaction(async (tx) => {
      await recordDecision(tx, actor, owner.id, confirmed, {
        action: "user.refunded_again",
        after: { refunded: total, currency, how },
      });
      // 0 where nothing is to be paid, because a worker of the previous version ignores `again` and would pay.
      const due = how === "card" ? payments : payments.map((payment) => ({ ...payment, amount: 0 }));
      await enqueueRefunds(tx, customer, due, { endsSubscription: null, again: how });
    });
    return { ok: true };
  });
}

function listFailedRefunds(db: Queryable, userId: string) {
  return db
    .select({
      id: stripeInvoices.id,
      number: stripeInvoices.number,
      paidAt: sql<Date>`coalesce(${stripeInvoices.paidAt}, ${stripeInvoices.createdAt})`.mapWith(
        stripeInvoices.createdAt,
      ),
      paid: stripeInvoices.amountPaid,
      amount: stripeInvoices.refundFailed,
      currency: stripeInvoices.currency,
      refundFailure: stripeInvoices.refundFailure,
      paymentIntentId: stripeInvoices.paymentIntentId,
      planName: products.name,
    })
    .from(stripeInvoices)
    .leftJoin(prices, eq(prices.id, stripeInvoices.priceId))
    .leftJoin(products, eq(products.id, prices.productId))
    .where(and(eq(stripeInvoices.userId, userId), gt(stripeInvoices.refundFailed, 0)))
    .orderBy(desc(stripeInvoices.createdAt));
}
