import type Stripe from "stripe";
import { z } from "zod";
import { invalidRequest, resourceMissing, StripeApiError } from "../api/errors.ts";
import { type ApiCall, boolean, readParams, text } from "../api/params.ts";
import { existingCustomer } from "../objects/customers.ts";
import { findObject } from "../store.ts";
import type { Transaction } from "../transaction.ts";
import { billingFacts } from "./billing-facts.ts";
import { cancelAtParam, cancellation } from "./cancel-at.ts";
import { creditLines } from "./change.ts";
import { isInvoicedNow, linesOfChange } from "./invoice-change.ts";
import { assertBilledTogether, periodOf, readItemChanges } from "./items.ts";
import { linesOfPeriod } from "./lines.ts";
import { composeSubscription } from "./new-subscription.ts";
import { pendingLines } from "./pending-items.ts";
import { previewInvoice, previewRenewal } from "./preview-renewal.ts";
import { billingParams, changesBilling, planUpdate } from "./update.ts";

const detailsSchema = z.strictObject({
  ...billingParams,
  cancel_at: cancelAtParam.optional(),
  cancel_at_period_end: boolean.optional(),
  cancel_now: boolean.optional(),
});
type Details = z.output<typeof detailsSchema>;

const previewSchema = z.strictObject({
  customer: text.optional(),
  subscription: text.optional(),
  schedule: text.optional(),
  subscription_details: detailsSchema.prefault({}),
  preview_mode: z.enum(["next"]).optional(),
});

/**
 * The invoice that a change would make at once, or else that of the next renewal:
 * https://docs.stripe.com/api/invoices/create_preview
 */
export async function createPreview({ tx, params }: ApiCall): Promise<Stripe.Invoice> {
  const { subscription_details: details, ...of } = readParams(previewSchema, params);
  const subscription = await subscriptionFor(tx, of);
  if (subscription) return previewChange(tx, subscription, details);
  if (of.customer && details.items) return previewFirst(tx, of.customer, details);
  throw nothingUpcoming(of.customer);
}

async function previewChange(
  tx: Transaction,
  subscription: Stripe.Subscription,
  details: Details,
): Promise<Stripe.Invoice> {
  const customer = String(subscription.customer);
  if (["canceled", "incomplete_expired", "paused"].includes(subscription.status)) {
    throw nothingUpcoming(customer);
  }
  const proration_date = details.proration_date ?? tx.now;
  const of = { customer, currency: subscription.currency, subscription_proration_date: proration_date };
  if (details.cancel_now) {
    const lines = await linesOfCancel(tx, subscription, { ...details, proration_date });
    return previewInvoice(tx, { ...of, subscription, lines });
  }
  const changed = { ...subscription, ...cancellation(tx, subscription, details) };
  const plan = changesBilling(details)
    ? await planUpdate(tx, changed, { ...details, proration_date })
    : { after: changed, prorations: [], startsPeriod: false };
  const lines = await linesOfChange(tx, plan);
  if (isInvoicedNow(plan, details.proration_behavior, lines)) {
    return previewInvoice(tx, { ...of, subscription: plan.after, lines });
  }
  const { current_period_end: end } = periodOf(plan.after);
  if (plan.after.cancel_at === null || plan.after.cancel_at > end) {
    return previewRenewal(tx, plan.after, plan.prorations);
  }
  if (lines.length === 0) throw nothingUpcoming(customer);
  return previewInvoice({ ...tx, now: end }, { ...of, subscription: plan.after, lines });
}

async function linesOfCancel(
  tx: Transaction,
  subscription: Stripe.Subscription,
  { proration_behavior, proration_date }: Details & { proration_date: number },
) {
  const pending = await pendingLines(tx, subscription.id);
  if (proration_behavior === "none") return pending;
  const prices = subscription.items.data.map(({ price }) => price);
  const facts = await billingFacts(tx, subscription, prices);
  return [...pending, ...creditLines(subscription, facts, proration_date)];
}

/** The first invoice of a subscription that does not exist yet. */
async function previewFirst(tx: Transaction, id: string, details: Details): Promise<Stripe.Invoice> {
  const customer = await existingCustomer(tx, id);
  const changes = await readItemChanges(tx, details.items ?? [], "subscription_details[items]");
  const items = changes.flatMap(({ price, quantity = 1 }) => (price ? [{ price, quantity }] : []));
  if (items.length === 0) throw nothingUpcoming(id);
  const trial_end = typeof details.trial_end === "number" ? details.trial_end : null;
  const subscription = composeSubscription(tx, {
    id: "sub_preview",
    customer,
    items,
    status: trial_end === null ? "incomplete" : "trialing",
    trial_end,
    metadata: {},
  });
  assertBilledTogether(subscription.items.data, subscription.currency);
  const invoice = await previewInvoice(tx, {
    customer: id,
    subscription,
    lines: await linesOfPeriod(tx, subscription),
  });
  return { ...invoice, parent: null };
}

async function subscriptionFor(
  tx: Transaction,
  { customer, subscription, schedule }: { customer?: string; subscription?: string; schedule?: string },
): Promise<Stripe.Subscription | undefined> {
  const id = subscription ?? (schedule && (await subscriptionOfSchedule(tx, schedule)));
  if (id === undefined) return undefined;
  const found = await findObject(tx, "subscription", id);
  if (!found) throw resourceMissing("subscription", id, "subscription");
  if (customer !== undefined && found.customer !== customer) {
    const message = `The subscription ${id} does not belong to customer ${customer}.`;
    throw invalidRequest(message, { param: "customer" });
  }
  return found;
}

async function subscriptionOfSchedule(tx: Transaction, id: string): Promise<string> {
  const schedule = await findObject(tx, "subscription_schedule", id);
  if (!schedule?.subscription) throw resourceMissing("subscription schedule", id, "schedule");
  return String(schedule.subscription);
}

function nothingUpcoming(customer: string | undefined): StripeApiError {
  const message = `No upcoming invoices for customer: '${customer}'`;
  return new StripeApiError(404, "invalid_request_error", message, { code: "invoice_upcoming_none" });
}
