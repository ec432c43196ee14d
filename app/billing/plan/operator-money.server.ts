import { randomUUID } from "node:crypto";
import { and, eq, inArray, isNull, max, sql } from "drizzle-orm";
import Stripe from "stripe";
import { z } from "zod";
import { type Actor, recordChange } from "../../audit/record-change.server.ts";
import { auditLog } from "../../audit/schema.ts";
import type { Queryable } from "../../db/client.server.ts";
import { type Failure, failure } from "../../http/errors.ts";
import { enqueueMail } from "../../mail/enqueue-mail.server.ts";
import type { Message } from "../../mail/message.ts";
import { enqueue } from "../../outbox/outbox.server.ts";
import { outbox } from "../../outbox/schema.ts";
import { findCustomer } from "../customer.server.ts";
import { GIVE_CREDIT, REFUND_PAYMENT } from "../job-kinds.server.ts";
import { creditMessage, refundMessage, refundsMessage } from "../notices/payment-messages.ts";
import { canceledMessage, endedMessage, planChangeMessage } from "../notices/plan-messages.ts";
import { formatMoney, parseAmount } from "../plans.ts";
import { syncCustomer } from "../sync/sync-customer.server.ts";
import { type PlanParts, requestPlanChange } from "./apply-plan-change.server.ts";
import { loadChange, makeChange } from "./change.server.ts";
import type { ChangeReview } from "./change-review.server.ts";
import { readPlanAndPayments } from "./plan-overview.server.ts";
import type { PlanOverview } from "./plan-overview.ts";
import { listPaidInvoices } from "./refund.server.ts";
import { divideRefund, ENDED_WITH_REFUND, endsAtOnce, isOver } from "./rules.ts";

/** The account whose money an operator acts on. */
export interface Owner {
  id: string;
  email: string;
  timeZone: string | null;
}

const AWAY = "Stripe couldn’t be reached. Nothing was changed. Try again in a moment.";
const MEANWHILE = "Something changed meanwhile, so nothing was done. Look at the preview again.";
const ON_ITS_WAY =
  "An earlier refund is still on its way to Stripe. Nothing was done. Try again in a moment.";
const NO_CUSTOMER = "They never opened a payment page, so there is nothing at Stripe to act on.";

/** The highest credit of one press, in units of the currency: a slip of the finger is not paid. */
const MAX_CREDIT = "1000";

const DECISIONS = ["user.plan_ended", "user.plan_changed", "user.credited"] as const;

/** The last decision about a user's money. A form carries it, so that it acts once if it is sent twice, or by two operators. */
export async function lastDecision(db: Queryable, userId: string): Promise<string> {
  const [last] = await db
    .select({ id: max(auditLog.id) })
    .from(auditLog)
    .where(and(eq(auditLog.subject, `user:${userId}`), inArray(auditLog.action, [...DECISIONS])));
  return String(last?.id ?? 0);
}

/** Why a transaction was rolled back. */
class Refused extends Error {
  readonly failure: Failure;
  constructor(refusal: Failure) {
    super(refusal.message);
    this.failure = refusal;
  }
}

/** Checks, under a lock that lasts until the end of the transaction, that nothing was decided since the preview; then records it. */
async function decide(
  tx: Queryable,
  actor: Actor,
  userId: string,
  { seen, reason }: Confirmed,
  { action, after }: { action: (typeof DECISIONS)[number]; after: object },
): Promise<void> {
  await tx.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended(${`money:${userId}`}, 0))`);
  if ((await lastDecision(tx, userId)) !== seen) throw new Refused(failure(409, MEANWHILE));
  await recordChange(tx, actor, { action, subject: `user:${userId}`, after, reason });
}

/** What an operator confirmed: the decision last seen, and why. */
export interface Confirmed {
  seen: string;
  reason: string;
}

async function orRefusal<Done>(work: () => Promise<Done>): Promise<Done | Failure> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refused) return error.failure;
    if (error instanceof Stripe.errors.StripeError) return failure(503, AWAY);
    throw error;
  }
}

/** A user's plan, payments and card as Stripe has them now. */
async function readFresh(app: PlanParts, { id }: Owner) {
  if (!app.payments.isOn) throw new Refused(failure(503, "Payments are off. Nothing was changed."));
  const customer = await findCustomer(app.db, id);
  if (!customer) throw new Refused(failure(409, NO_CUSTOMER));
  const seen = await lastDecision(app.db, id);
  await syncCustomer(app.payments.stripe, app.db, app.config, customer);
  const found = await readPlanAndPayments(app, id);
  return {
    stripe: app.payments.stripe,
    customer,
    seen,
    plan: found?.plan ?? null,
    card: found?.card ?? null,
  };
}

export const endTerms = z.object({
  when: z.enum(["now", "period_end"]),
  refund: z.enum(["whole", "part", "none"]),
  amount: z.string().max(20).default(""),
});
export type EndTerms = z.output<typeof endTerms>;

export interface EndReview {
  ok: true;
  plan: PlanOverview;
  /** When it ends: `now`, at the end of its period, or it is over already. */
  ends: "now" | "period_end" | "over";
  payments: { id: string; number: string | null; paidAt: Date; amount: number }[];
  /** In minor units of the plan's currency. */
  total: number;
  mails: Message[];
  seen: string;
}

/** What ending a plan, with a refund or none, would do. Failures: 400 the amount; 409 nothing to do; 503 Stripe is off or away. */
export function reviewEnd(app: PlanParts, owner: Owner, terms: EndTerms): Promise<EndReview | Failure> {
  return orRefusal(async () => {
    const { plan, seen, card } = await readFresh(app, owner);
    if (!plan) return failure(409, "They never paid for a plan.");
    const paid = await listPaidInvoices(app.db, plan.subscriptionId);
    const { currency } = plan.price;
    const left = paid.reduce(
      (sum, { isDisputed, amountPaid, amountRefunded }) =>
        sum + (isDisputed ? 0 : amountPaid - amountRefunded),
      0,
    );
    const totals = { whole: left, none: 0, part: parseAmount(terms.amount, currency) };
    const total = totals[terms.refund];
    if (total === null) return failure(400, "Enter the amount to refund, such as 10.00.");
    const parts = divideRefund(paid, total);
    if (!parts) return failure(400, `At most ${formatMoney(left, currency)} can be refunded.`);
    const over = isOver(plan.status);
    if (over && total === 0) return failure(409, "The plan is over, and nothing is refunded.");
    const ends = over ? "over" : endsAtOnce(plan.status) ? "now" : terms.when;
    const payments = parts.flatMap(({ id, amount }) => {
      const invoice = paid.find((each) => each.id === id);
      return invoice
        ? [{ id, number: invoice.number, paidAt: invoice.paidAt, paid: invoice.amountPaid, amount }]
        : [];
    });
    const recipient = { to: owner.email, site: app.config.site, timeZone: owner.timeZone };
    const refunds = payments.map(({ amount, paid: whole, paidAt, number }) => ({
      plan: plan.name,
      money: { amount, currency },
      paid: { amount: whole, currency, at: paidAt },
      ...{ number, card },
      access: ends === "period_end" ? ("goes_on" as const) : ("ended" as const),
      endsAt: plan.cancelAt ?? plan.currentPeriodEnd,
    }));
    const endFacts = { plan: plan.name, endedAt: new Date(), why: "canceled" as const };
    const mails = [
      ...(ends === "period_end" && !plan.cancelAt
        ? [canceledMessage({ plan: plan.name, endsAt: plan.currentPeriodEnd }, recipient)]
        : []),
      ...(ends === "now" && total === 0 ? [endedMessage(endFacts, recipient)] : []),
      ...(ends === "now" && total > 0 ? [refundsMessage(refunds, recipient)] : []),
      ...(ends !== "now" ? refunds.map((each) => refundMessage(each, recipient)) : []),
    ];
    return { ok: true, plan, ends, payments, total, mails, seen } as const;
  });
}

/** Ends a plan and refunds as previewed. The refunds are jobs, written with the log. Failures: as `reviewEnd`; 409 changed meanwhile. */
export function endByOperator(
  app: PlanParts,
  actor: Actor,
  owner: Owner,
  terms: EndTerms,
  confirmed: Confirmed & { total: number },
): Promise<{ ok: true } | Failure> {
  return orRefusal(async () => {
    const review = await reviewEnd(app, owner, terms);
    if (!review.ok) return review;
    const { plan, ends, payments, total } = review;
    if (total !== confirmed.total) return failure(409, MEANWHILE);
    const stripeCustomerId = (await findCustomer(app.db, owner.id)) ?? "";
    const paid = await listPaidInvoices(app.db, plan.subscriptionId);
    const write = async (tx: Queryable) => {
      const after = {
        subscription: plan.subscriptionId,
        ends,
        refunded: total,
        currency: plan.price.currency,
      };
      await decide(tx, actor, owner.id, confirmed, { action: "user.plan_ended", after });
      if (total > 0 && (await hasWaitingRefund(tx, stripeCustomerId)))
        throw new Refused(failure(409, ON_ITS_WAY));
      const decision = randomUUID();
      for (const { id, amount } of payments) {
        const paymentIntentId = paid.find((each) => each.id === id)?.paymentIntentId;
        const endsSubscription = ends === "now" ? plan.subscriptionId : null;
        const job = { key: `${decision}:${id}`, invoiceId: id, amount, stripeCustomerId, endsSubscription };
        if (paymentIntentId) await enqueue(tx, REFUND_PAYMENT, { ...job, paymentIntentId });
      }
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

async function hasWaitingRefund(tx: Queryable, stripeCustomerId: string): Promise<boolean> {
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
  return waiting.length > 0;
}

/** The plans a user can change to, and with `priceId` what that costs, by Stripe's preview. Failures: 409 no plan; 503 Stripe is away. */
export function reviewPlanChange(app: PlanParts, owner: Owner, priceId: string | null) {
  return orRefusal(async () => {
    const { seen } = await readFresh(app, owner);
    const page = await loadChange(app, owner, priceId);
    if (!page) return failure(409, "They have no plan that is paid for.");
    const refusal =
      page.failure ?? (page.cannot ? failure(409, "Their last payment isn’t settled yet.") : null);
    if (refusal) return refusal;
    const { plan, options, review } = page;
    const mails = review ? [changeMail(app, owner, plan, review)] : [];
    return { ok: true as const, plan, options, review, mails, seen };
  });
}

function changeMail({ config }: PlanParts, owner: Owner, plan: PlanOverview, review: ChangeReview): Message {
  const { price, planName, happens, due, nextAt, startsAt } = review;
  const { currency, unitAmount } = price;
  const facts = {
    ...{ from: plan.name, to: planName, startsAt: happens === "now" ? null : startsAt },
    ...{ due: { amount: due, currency }, next: { amount: unitAmount, currency, at: nextAt } },
  };
  return planChangeMessage(facts, { to: owner.email, site: config.site, timeZone: owner.timeZone });
}

/** Changes a plan as previewed, by the customer's own function, and mails them. Failures: as `makeChange`; 409 changed meanwhile. */
export function changeByOperator(
  app: PlanParts,
  actor: Actor,
  owner: Owner,
  fields: { price: string; at: string; due: string },
  confirmed: Confirmed,
): Promise<{ ok: true } | Failure> {
  return orRefusal(async () => {
    const found = await reviewPlanChange(app, owner, null);
    if (!found.ok) return found;
    const { plan } = found;
    const mails: Message[] = [];
    const made = await makeChange(app, owner, fields, (tx, { subscriptionId: subscription }, review) => {
      if (review) mails.push(changeMail(app, owner, plan, review));
      const after = { subscription, from: plan.price.id, to: fields.price, due: review?.due ?? 0 };
      return decide(tx, actor, owner.id, confirmed, {
        action: "user.plan_changed",
        after: { ...after, currency: plan.price.currency },
      });
    });
    if (!made.ok) return made;
    if (!made.isAsReviewed) return failure(409, MEANWHILE);
    for (const mail of mails) await enqueueMail(app.db, app.config.site, mail);
    return { ok: true };
  });
}

export interface CreditReview {
  ok: true;
  money: { amount: number; currency: string };
  /** The next payment without and with it, in minor units; `null`: none is planned. */
  next: { at: Date; before: number; after: number } | null;
  mails: Message[];
  seen: string;
}

/** What a credit would do to the next payment, by Stripe's preview. Failures: 400 the amount; 409 no customer; 503 Stripe is away. */
export function reviewCredit(app: PlanParts, owner: Owner, typed: string): Promise<CreditReview | Failure> {
  return orRefusal(async () => {
    const { stripe, plan, seen } = await readFresh(app, owner);
    const currency = plan?.price.currency ?? app.config.currency;
    const amount = parseAmount(typed, currency);
    const most = parseAmount(MAX_CREDIT, currency) ?? 0;
    if (!amount || amount > most)
      return failure(400, `Enter an amount such as 10.00, at most ${formatMoney(most, currency)}.`);
    const money = { amount, currency };
    const due = plan?.next
      ? (await stripe.invoices.createPreview({ subscription: plan.subscriptionId })).amount_due
      : 0;
    const next = plan?.next ? { at: plan.next.at, before: due, after: Math.max(0, due - amount) } : null;
    const recipient = { to: owner.email, site: app.config.site, timeZone: owner.timeZone };
    return { ok: true, money, next, mails: [creditMessage({ money }, recipient)], seen } as const;
  });
}

/** Gives a credit on the next payments, by a job that is written with the log. Failures: as `reviewCredit`; 409 changed meanwhile. */
export function creditByOperator(
  app: PlanParts,
  actor: Actor,
  owner: Owner,
  typed: string,
  confirmed: Confirmed,
): Promise<{ ok: true } | Failure> {
  return orRefusal(async () => {
    const review = await reviewCredit(app, owner, typed);
    if (!review.ok) return review;
    const stripeCustomerId = (await findCustomer(app.db, owner.id)) ?? "";
    await app.db.transaction(async (tx) => {
      await decide(tx, actor, owner.id, confirmed, { action: "user.credited", after: review.money });
      await enqueue(tx, GIVE_CREDIT, {
        key: randomUUID(),
        userId: owner.id,
        stripeCustomerId,
        ...review.money,
      });
    });
    return { ok: true };
  });
}
