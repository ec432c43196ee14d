import { randomUUID } from "node:crypto";
import { and, eq, isNull, sql } from "drizzle-orm";
import { z } from "zod";
import type { Actor } from "../../audit/record-change.server.ts";
import type { Queryable } from "../../db/client.server.ts";
import { readRemainingGrant } from "../../entitlements/subscription.server.ts";
import { type Failure, failure } from "../../http/errors.ts";
import { enqueue } from "../../outbox/outbox.server.ts";
import { outbox } from "../../outbox/schema.ts";
import { REFUND_PAYMENT, type RefundJob } from "../job-kinds.server.ts";
import { refundMessage, refundsMessage } from "../notices/payment-messages.ts";
import { canceledMessage, endedMessage } from "../notices/plan-messages.ts";
import { formatMoney, parseAmount } from "../plans.ts";
import type { BillingApp } from "../stripe.server.ts";
import { requestPlanChange } from "./apply-plan-change.server.ts";
import {
  type AccountHolder,
  CHANGED_SINCE_PREVIEW,
  type Confirmed,
  catchRefusal,
  Refused,
  readFresh,
  recordDecision,
} from "./operator-decision.server.ts";
import { readPlanOverview } from "./plan-overview.server.ts";
import { listPaidInvoices } from "./refund.server.ts";
import { divideRefund, ENDED_WITH_REFUND, endsAtOnce, isOver, type PaidInvoice } from "./rules.ts";

const ON_ITS_WAY =
  "An earlier refund is still on its way to Stripe. Nothing was done. Try again in a moment.";

export const endTerms = z.object({
  when: z.enum(["now", "period_end"]),
  refund: z.enum(["whole", "part", "none"]),
  amount: z.string().max(20).default(""),
});
export type EndTerms = z.output<typeof endTerms>;

/** Amounts are in minor units of the plan's currency. Failures: 400 the amount; 409 nothing to do; 503 Stripe is off or away. */
export function reviewEnd(app: BillingApp, owner: AccountHolder, terms: EndTerms) {
  return catchRefusal(async () => {
    const { plan, seen, card, customer, ...fresh } = await readFresh(app, owner);
    if (!plan) return failure(409, "They never paid for a plan.");
    const paid = await listPaidInvoices(app.db, plan.subscriptionId);
    const { currency } = plan.price;
    const left = leftOf(paid);
    const totals = { whole: left, none: 0, part: parseAmount(terms.amount, currency) };
    const total = totals[terms.refund];
    if (total === null) return failure(400, "Enter the amount to refund, such as 10.00.");
    const payments = divideRefund(paid, total);
    if (!payments) return failure(400, `At most ${formatMoney(left, currency)} can be refunded.`);
    const over = isOver(plan.status);
    if (over && total === 0) return failure(409, "The plan is over, and nothing is refunded.");
    const ends = over ? "over" : endsAtOnce(plan.status) ? "now" : terms.when;
    const end = ends === "period_end" ? plan.currentPeriodEnd : new Date();
    const remaining = await readRemainingGrant(app.db, owner.id, end);
    const recipient = { ...fresh.recipient, remaining };
    const refunds = payments.map(({ amount, amountPaid, paidAt, number }) => ({
      plan: plan.name,
      tier: plan.tier,
      money: { amount, currency },
      paid: { amount: amountPaid, currency, at: paidAt },
      number,
      card,
      access: ends === "period_end" ? ("goes_on" as const) : ("ended" as const),
      endsAt: plan.cancelAt ?? plan.currentPeriodEnd,
    }));
    const endFacts = { plan: plan.name, endedAt: new Date(), why: "canceled" as const };
    const mails = [
      ...(ends === "period_end" && !plan.cancelAt
        ? [canceledMessage({ plan: plan.name, tier: plan.tier, endsAt: plan.currentPeriodEnd }, recipient)]
        : []),
      ...(ends === "now" && total === 0 ? [endedMessage(endFacts, recipient)] : []),
      ...(ends === "now" && total > 0 ? [refundsMessage(refunds, recipient)] : []),
      ...(ends !== "now" ? refunds.map((each) => refundMessage(each, recipient)) : []),
    ];
    return { ok: true as const, plan, ends, remaining, payments, total, mails, seen, customer };
  });
}

const leftOf = (paid: readonly PaidInvoice[]) =>
  paid
    .filter(({ isDisputed }) => !isDisputed)
    .reduce((sum, { amountPaid, amountRefunded }) => sum + amountPaid - amountRefunded, 0);

/** The most that can be refunded of their plan, as far as is known here: "$49.99"; `null`: never had one. */
export async function readRefundLimit(app: Pick<BillingApp, "db" | "config">, userId: string) {
  const plan = await readPlanOverview(app, userId);
  if (!plan) return null;
  return formatMoney(leftOf(await listPaidInvoices(app.db, plan.subscriptionId)), plan.price.currency);
}

/** The refunds are jobs, written with the log. Failures: as `reviewEnd`; 409 changed meanwhile. */
export function endByOperator(
  app: BillingApp,
  actor: Actor,
  owner: AccountHolder,
  terms: EndTerms,
  confirmed: Confirmed & { total: number },
): Promise<{ ok: true } | Failure> {
  return catchRefusal(async () => {
    const review = await reviewEnd(app, owner, terms);
    if (!review.ok) return review;
    const { plan, ends, payments, total, customer } = review;
    if (total !== confirmed.total) return failure(409, CHANGED_SINCE_PREVIEW);
    const { subscriptionId, price } = plan;
    const after = { subscription: subscriptionId, ends, refunded: total, currency: price.currency };
    const write = async (tx: Queryable) => {
      await recordDecision(tx, actor, owner.id, confirmed, { action: "user.plan_ended", after });
      const endsSubscription = ends === "now" ? subscriptionId : null;
      if (total > 0) await enqueueRefunds(tx, customer, payments, { endsSubscription });
    };
    if (ends === "over") {
      await app.db.transaction(write);
      return { ok: true };
    }
    const isNow = ends === "now";
    const comment = isNow && total > 0 ? ENDED_WITH_REFUND : null;
    const request = { kind: "cancel", reason: null, comment, atOnce: isNow } as const;
    return requestPlanChange(app, owner.id, request, write);
  });
}

/** A job for each payment. @throws a refusal while an earlier refund of theirs waits for Stripe */
export async function enqueueRefunds(
  tx: Queryable,
  stripeCustomerId: string,
  payments: readonly { id: string; amount: number; paymentIntentId: string | null }[],
  terms: Pick<RefundJob, "endsSubscription" | "again">,
): Promise<void> {
  const waiting = await tx
    .select({ id: outbox.id })
    .from(outbox)
    .where(
      and(
        eq(outbox.kind, REFUND_PAYMENT.name),
        isNull(outbox.doneAt),
        sql`${outbox.payload}->>'stripeCustomerId' = ${stripeCustomerId}`,
      ),
    );
  if (waiting.length > 0) throw new Refused(failure(409, ON_ITS_WAY));
  const decision = randomUUID();
  for (const { id, amount, paymentIntentId } of payments) {
    if (!paymentIntentId) continue;
    const job = { key: `${decision}:${id}`, stripeCustomerId, paymentIntentId, invoiceId: id, amount };
    await enqueue(tx, REFUND_PAYMENT, { ...job, ...terms });
  }
}
