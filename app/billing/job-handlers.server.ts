import type Stripe from "stripe";
import type { App } from "../http/context.server.ts";
import { handleJob, type JobHandler } from "../outbox/outbox.server.ts";
import { giveDays } from "./announcing/give-days.server.ts";
import { checkAttempt } from "./attempt-checks.server.ts";
import { syncCatalogue } from "./catalogue.server.ts";
import { closeAttempt } from "./checkout-attempt.server.ts";
import { updateCustomer } from "./customer.server.ts";
import {
  APPLY_PLAN_CHANGE,
  CHECK_ATTEMPT,
  CLOSE_ATTEMPT,
  DELETE_CUSTOMER,
  GIVE_CREDIT,
  GIVE_DAYS,
  MAIL_PLAN_CHANGE,
  REFUND_PAYMENT,
  SYNC_CATALOGUE,
  SYNC_CUSTOMER,
  UPDATE_CUSTOMER,
} from "./job-kinds.server.ts";
import { applyPlanChange } from "./plan/apply-plan-change.server.ts";
import { mailPlanChange } from "./plan/change-by-operator.server.ts";
import { giveCredit } from "./plan/credit-by-operator.server.ts";
import { refundPart } from "./plan/refund.server.ts";
import { markEventsHandled } from "./store-event.server.ts";
import { type BillingApp, nullIfMissing } from "./stripe.server.ts";
import { syncCustomer } from "./sync/sync-customer.server.ts";

export function syncHandlers(app: Pick<App, "config" | "db" | "payments">): JobHandler[] {
  return [
    handleJob(SYNC_CUSTOMER, async ({ stripeCustomerId }, { eventIds }) => {
      await syncCustomer(withStripe(app), stripeCustomerId);
      await markEventsHandled(app.db, eventIds);
    }),
    handleJob(SYNC_CATALOGUE, async (_, { eventIds }) => {
      await syncCatalogue(withStripe(app).stripe, app.db);
      await markEventsHandled(app.db, eventIds);
    }),
  ];
}

export function customerHandlers(app: BillingApp): JobHandler[] {
  return [
    handleJob(CHECK_ATTEMPT, ({ attemptId }) => checkAttempt(withStripe(app), attemptId)),
    handleJob(UPDATE_CUSTOMER, ({ userId }) => updateCustomer(withStripe(app), userId)),
    // With their subscriptions.
    handleJob(DELETE_CUSTOMER, async ({ stripeCustomerId }) => {
      await nullIfMissing(withStripe(app).stripe.customers.del(stripeCustomerId));
    }),
    handleJob(APPLY_PLAN_CHANGE, ({ subscriptionId }) => applyPlanChange(withStripe(app), subscriptionId)),
    handleJob(MAIL_PLAN_CHANGE, (job) => mailPlanChange(app, job)),
    handleJob(GIVE_DAYS, (payload, job) => giveDays(withStripe(app), payload, job)),
    handleJob(REFUND_PAYMENT, (job) => refundPart(withStripe(app), job)),
    handleJob(GIVE_CREDIT, (job) => giveCredit(withStripe(app), job)),
    handleJob(CLOSE_ATTEMPT, ({ attemptId }) => closeAttempt(withStripe(app), attemptId)),
  ];
}

/** @throws while payments are off; the job is retried until they are on again */
function withStripe<Parts extends Pick<App, "payments">>(app: Parts): Parts & { stripe: Stripe } {
  if (!app.payments.isOn) throw new Error("payments are off");
  return { ...app, stripe: app.payments.stripe };
}
