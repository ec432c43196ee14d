import { randomUUID } from "node:crypto";
import type { Actor } from "../../audit/record-change.server.ts";
import { lockUser } from "../../auth/users.server.ts";
import { type Failure, failure } from "../../http/errors.ts";
import { enqueue } from "../../outbox/outbox.server.ts";
import { type CreditJob, GIVE_CREDIT } from "../job-kinds.server.ts";
import type { Notice } from "../notices/notice.ts";
import { creditMessage } from "../notices/payment-messages.ts";
import { sendOnce } from "../notices/send-once.server.ts";
import { formatMoney, parseAmount } from "../plans.ts";
import { type BillingApp, nullIfMissing, type StripeApp, withIdempotencyKey } from "../stripe.server.ts";
import { syncCustomer } from "../sync/sync-customer.server.ts";
import {
  type AccountHolder,
  type Confirmed,
  catchRefusal,
  readFresh,
  recordDecision,
} from "./operator-decision.server.ts";

/** Per press, in units of the currency, against mistyping. */
const MAX_CREDIT = "1000";

/** Previews the next payment, in minor units. Failures: 400 the amount; 409 no customer; 503 Stripe is away. */
export function reviewCredit(app: BillingApp, owner: AccountHolder, typed: string) {
  return catchRefusal(async () => {
    const { stripe, plan, seen, customer, recipient } = await readFresh(app, owner);
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
    return { ok: true as const, money, next, mails: [creditMessage(money, recipient)], seen, customer };
  });
}

/** Credited by a job that is written with the log. Failures: as `reviewCredit`; 409 changed meanwhile. */
export function creditByOperator(
  app: BillingApp,
  actor: Actor,
  owner: AccountHolder,
  typed: string,
  confirmed: Confirmed,
): Promise<{ ok: true } | Failure> {
  return catchRefusal(async () => {
    const review = await reviewCredit(app, owner, typed);
    if (!review.ok) return review;
    const { money, customer: stripeCustomerId } = review;
    await app.db.transaction(async (tx) => {
      await recordDecision(tx, actor, owner.id, confirmed, { action: "user.credited", after: money });
      await enqueue(tx, GIVE_CREDIT, { key: randomUUID(), userId: owner.id, stripeCustomerId, ...money });
    });
    return { ok: true };
  });
}

/** Adds a credit, taken off the next invoices. Safe to repeat, also after Stripe has forgotten the key. @throws Stripe's errors */
export async function giveCredit(
  app: StripeApp,
  { key, userId, stripeCustomerId, amount, currency }: CreditJob,
): Promise<void> {
  const { stripe, db, config } = app;
  const made = await nullIfMissing(
    stripe.customers.listBalanceTransactions(stripeCustomerId, { limit: 100 }).then(({ data }) => data),
  );
  if (!made) return;
  const params = { amount: -amount, currency, description: "Credit", metadata: { decision: key } };
  if (!made.some(({ metadata }) => metadata?.decision === key))
    await withIdempotencyKey(`credit-${key}`, (idempotencyKey) =>
      stripe.customers.createBalanceTransaction(stripeCustomerId, params, { idempotencyKey }),
    );
  await syncCustomer(app, stripeCustomerId);
  const now = new Date();
  const notice: Notice = {
    kind: "credited",
    subject: key,
    occurredAt: now,
    write: (recipient) => creditMessage({ amount, currency }, recipient),
  };
  await db.transaction(async (tx) => {
    const owner = await lockUser(tx, userId);
    if (owner) await sendOnce(tx, config.site, { userId, email: owner.email }, [notice], now);
  });
}
