import { randomUUID } from "node:crypto";
import type { Actor } from "../../audit/record-change.server.ts";
import { type Failure, failure } from "../../http/errors.ts";
import { enqueue } from "../../outbox/outbox.server.ts";
import { GIVE_CREDIT } from "../job-kinds.server.ts";
import { creditMessage } from "../notices/payment-messages.ts";
import { formatMoney, parseAmount } from "../plans.ts";
import type { BillingApp } from "../stripe.server.ts";
import {
  type AccountHolder,
  type Confirmed,
  catchRefusal,
  decide,
  readFresh,
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
      await decide(tx, actor, owner.id, confirmed, { action: "user.credited", after: money });
      await enqueue(tx, GIVE_CREDIT, { key: randomUUID(), userId: owner.id, stripeCustomerId, ...money });
    });
    return { ok: true };
  });
}
