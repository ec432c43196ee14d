import type Stripe from "stripe";
import { z } from "zod";
import { invalidRequest } from "../api/errors.ts";
import { type ApiCall, integer, readParams } from "../api/params.ts";
import { collectInvoice, draftInvoice } from "../invoices/bill.ts";
import { recordEvent } from "../objects/events.ts";
import { lockOr404 } from "../store.ts";
import type { Transaction } from "../transaction.ts";
import { nextRetry } from "./dunning.ts";
import { periodOf, recurringOf, withItems } from "./items.ts";
import { linesOfPeriod } from "./lines.ts";
import { billingPeriod } from "./periods.ts";
import { saveSubscription } from "./save.ts";

const resumeSchema = z.strictObject({
  billing_cycle_anchor: z.strictObject({ type: z.enum(["now", "unchanged"]) }).optional(),
  payment_behavior: z
    .enum(["resume_on_payment_attempt", "resume_on_payment_success"])
    .default("resume_on_payment_attempt"),
  proration_behavior: z.enum(["always_invoice", "create_prorations", "none"]).optional(),
  proration_date: integer.optional(),
});

/** Goes on with a paused subscription, in a new period unless the old one lasts: https://docs.stripe.com/api/subscriptions/resume */
export async function resumeSubscription({ tx, params, id }: ApiCall): Promise<Stripe.Subscription> {
  const { billing_cycle_anchor, payment_behavior } = readParams(resumeSchema, params);
  const before = await lockOr404(tx, "subscription", id);
  if (before.status !== "paused") {
    throw invalidRequest(`Only a paused subscription can be resumed. This one is ${before.status}.`);
  }
  if (billing_cycle_anchor?.type === "unchanged" && periodOf(before).current_period_end > tx.now) {
    return activated(tx, before, before);
  }
  const period = billingPeriod(recurringOf(before), tx.now, tx.now);
  const items = before.items.data.map((item) => ({ ...item, ...period }));
  const resumed = { ...before, billing_cycle_anchor: tx.now, items: withItems(before, items) };
  const invoice = await draftInvoice(tx, {
    customer: String(before.customer),
    subscription: resumed,
    billing_reason: "subscription_update",
    lines: await linesOfPeriod(tx, resumed),
  });
  const invoiced = { ...resumed, latest_invoice: invoice.id };
  if (payment_behavior === "resume_on_payment_attempt") await activated(tx, before, invoiced);
  else await saveSubscription(tx, before, invoiced);
  const nextPaymentAttempt = nextRetry(invoice.created, tx.now);
  await collectInvoice(tx, invoice.id, { offSession: false, nextPaymentAttempt });
  return lockOr404(tx, "subscription", id);
}

/** Saves a paused subscription as active again, with its events. */
export async function activated(
  tx: Transaction,
  before: Stripe.Subscription,
  { status_details, ...resumed }: Stripe.Subscription,
): Promise<Stripe.Subscription> {
  const after = await saveSubscription(tx, before, { ...resumed, status: "active" });
  await recordEvent(tx, { type: "customer.subscription.resumed", data: { object: after } });
  return after;
}
