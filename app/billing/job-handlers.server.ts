import type Stripe from "stripe";
import type { App } from "../http/context.server.ts";
import { handleJob, type JobHandler } from "../outbox/outbox.server.ts";
import { giveDays } from "./announcing/give-days.server.ts";
import { checkAttempt } from "./attempt-checks.server.ts";
import { syncCatalogue } from "./catalogue.server.ts";
import { closeAttempt } from "./checkout-attempt.server.ts";
import { giveCredit } from "./credit.server.ts";
import { deleteCustomer, updateCustomer } from "./customer.server.ts";
import {
  APPLY_PLAN_CHANGE,
  CHECK_ATTEMPT,
  CLOSE_ATTEMPT,
  DELETE_CUSTOMER,
  GIVE_CREDIT,
  GIVE_DAYS,
  REFUND_PAYMENT,
  SYNC_CATALOGUE,
  SYNC_CUSTOMER,
  UPDATE_CUSTOMER,
} from "./job-kinds.server.ts";
import { applyPlanChange, mailRefusal } from "./plan/apply-plan-change.server.ts";
import { refundPart } from "./plan/refund.server.ts";
import { markEventsHandled } from "./store-event.server.ts";
import { syncCustomer } from "./sync/sync-customer.server.ts";

export function syncHandlers({
  config,
  db,
  payments,
}: Pick<App, "config" | "db" | "payments">): JobHandler[] {
  return [
    handleJob(SYNC_CUSTOMER, async ({ stripeCustomerId }, { eventIds }) => {
      await syncCustomer(stripeOrThrow(payments), db, config, stripeCustomerId);
      await markEventsHandled(db, eventIds);
    }),
    handleJob(SYNC_CATALOGUE, async (_, { eventIds }) => {
      await syncCatalogue(stripeOrThrow(payments), db);
      await markEventsHandled(db, eventIds);
    }),
  ];
}

export function customerHandlers(app: Pick<App, "config" | "db" | "log" | "payments">): JobHandler[] {
  const { db, payments } = app;
  return [
    handleJob(CHECK_ATTEMPT, ({ attemptId }) => checkAttempt(stripeOrThrow(payments), app, attemptId)),
    handleJob(UPDATE_CUSTOMER, ({ userId }) => updateCustomer(stripeOrThrow(payments), db, userId)),
    handleJob(DELETE_CUSTOMER, ({ stripeCustomerId }) =>
      deleteCustomer(stripeOrThrow(payments), stripeCustomerId),
    ),
    handleJob(APPLY_PLAN_CHANGE, async ({ subscriptionId }) => {
      await applyPlanChange(stripeOrThrow(payments), app, subscriptionId, (tx, change) =>
        mailRefusal(tx, app.config.site, change),
      );
    }),
    handleJob(GIVE_DAYS, (payload, job) => giveDays(stripeOrThrow(payments), app, payload, job)),
    handleJob(REFUND_PAYMENT, (job) => refundPart(stripeOrThrow(payments), db, app.config, job)),
    handleJob(GIVE_CREDIT, (job) => giveCredit(stripeOrThrow(payments), db, app.config, job)),
    handleJob(CLOSE_ATTEMPT, async ({ attemptId }) => {
      await closeAttempt(stripeOrThrow(payments), db, attemptId);
    }),
  ];
}

/** The job is retried until payments are on again. */
function stripeOrThrow(payments: App["payments"]): Stripe {
  if (!payments.isOn) throw new Error("payments are off");
  return payments.stripe;
}
