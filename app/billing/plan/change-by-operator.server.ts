import type { Actor } from "../../audit/record-change.server.ts";
import { lockUser } from "../../auth/users.server.ts";
import { type Failure, failure } from "../../http/errors.ts";
import { enqueueMail } from "../../mail/enqueue-mail.server.ts";
import type { Message } from "../../mail/message.ts";
import { enqueue } from "../../outbox/outbox.server.ts";
import { MAIL_PLAN_CHANGE, type PlanChangeMailJob } from "../job-kinds.server.ts";
import type { Recipient } from "../notices/notice.ts";
import { planChangeMessage } from "../notices/plan-messages.ts";
import { readRecipient } from "../notices/recipient.server.ts";
import type { BillingApp } from "../stripe.server.ts";
import { loadChange, makeChange } from "./change.server.ts";
import type { ChangeReview } from "./change-review.server.ts";
import {
  type AccountHolder,
  CHANGED_SINCE_PREVIEW,
  type Confirmed,
  catchRefusal,
  readFresh,
  recordDecision,
} from "./operator-decision.server.ts";
import { JOB_DELAY_SECONDS } from "./plan-change-request.server.ts";
import type { PlanOverview } from "./plan-overview.ts";

/** The possible plans, and with `priceId` its cost by Stripe's preview. Failures: 409 no plan; 503 Stripe is away. */
export function reviewPlanChange(app: BillingApp, owner: AccountHolder, priceId: string | null) {
  return catchRefusal(async () => {
    const { seen, recipient } = await readFresh(app, owner);
    const page = await loadChange(app, owner, priceId);
    if (!page) return failure(409, "They have no plan that is paid for.");
    const refusal =
      page.failure ?? (page.cannot ? failure(409, "Their last payment isn’t settled yet.") : null);
    if (refusal) return refusal;
    const { plan, options, review } = page;
    const mails = review ? [changeMail(recipient, plan, review)] : [];
    return { ok: true as const, plan, options, review, mails, seen };
  });
}

function changeMail(recipient: Recipient, plan: PlanOverview, review: ChangeReview): Message {
  const { price, planName, tier, happens, due, tax, next, nextAt, startsAt } = review;
  const { currency } = price;
  const isNow = happens === "now";
  const facts = {
    from: plan.name,
    to: planName,
    tier: isNow ? tier : plan.tier,
    startsAt: isNow ? null : startsAt,
    due: { amount: due, tax, currency },
    next: { ...next, currency, at: nextAt },
  };
  return planChangeMessage(facts, recipient);
}

/** Changes a plan as previewed, and mails the customer. Failures: as `makeChange`; 409 changed meanwhile. */
export function changeByOperator(
  app: BillingApp,
  actor: Actor,
  owner: AccountHolder,
  fields: { price: string; at: string; due: string },
  confirmed: Confirmed,
): Promise<{ ok: true } | Failure> {
  return catchRefusal(async () => {
    const found = await reviewPlanChange(app, owner, null);
    if (!found.ok) return found;
    const { plan } = found;
    const made = await makeChange(app, owner, fields, async (tx, { subscriptionId, number }, review) => {
      if (review) {
        const holder = { userId: owner.id, email: owner.email };
        const recipient = await readRecipient(tx, app.config.site, holder, new Date());
        const job = { subscriptionId, number, userId: owner.id, mail: changeMail(recipient, plan, review) };
        await enqueue(tx, MAIL_PLAN_CHANGE, job, { delaySeconds: JOB_DELAY_SECONDS });
      }
      const after = { from: plan.price.id, to: fields.price, due: review?.due ?? 0 };
      return recordDecision(tx, actor, owner.id, confirmed, {
        action: "user.plan_changed",
        after: { subscription: subscriptionId, ...after, currency: plan.price.currency },
      });
    });
    return made.ok && !made.isAsReviewed ? failure(409, CHANGED_SINCE_PREVIEW) : made;
  });
}

export function mailPlanChange(
  { db, config }: Pick<BillingApp, "db" | "config">,
  { userId, mail }: PlanChangeMailJob,
): Promise<void> {
  return db.transaction(async (tx) => {
    if (await lockUser(tx, userId)) await enqueueMail(tx, config.site, mail);
  });
}
