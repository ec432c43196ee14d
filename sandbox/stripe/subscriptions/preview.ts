import type Stripe from "stripe";
import { z } from "zod";
import { resourceMissing, StripeApiError } from "../api/errors.ts";
import { type ApiCall, readParams, text } from "../api/params.ts";
import { findObject } from "../store.ts";
import { isInvoicedNow, linesOfChange } from "./invoice-change.ts";
import { periodOf } from "./items.ts";
import { previewInvoice, previewRenewal } from "./preview-renewal.ts";
import { changesBilling, planUpdate, prorationParams } from "./update.ts";

const previewSchema = z.strictObject({
  subscription: text,
  subscription_details: z.strictObject(prorationParams).prefault({}),
});

/**
 * The invoice that a change would make at once, or else that of the next renewal:
 * https://docs.stripe.com/api/invoices/create_preview
 */
export async function createPreview({ tx, params }: ApiCall): Promise<Stripe.Invoice> {
  const { subscription: id, subscription_details: details } = readParams(previewSchema, params);
  const subscription = await findObject(tx, "subscription", id);
  if (!subscription) throw resourceMissing("subscription", id, "subscription");
  const customer = String(subscription.customer);
  if (["canceled", "incomplete_expired"].includes(subscription.status)) throw nothingUpcoming(customer);
  const proration_date = details.proration_date ?? tx.now;
  const of = { customer, currency: subscription.currency, subscription_proration_date: proration_date };
  const plan = changesBilling(details)
    ? await planUpdate(tx, subscription, { ...details, proration_date })
    : { after: subscription, prorations: [], startsPeriod: false };
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

function nothingUpcoming(customer: string): StripeApiError {
  const message = `No upcoming invoices for customer: '${customer}'`;
  return new StripeApiError(404, "invalid_request_error", message, { code: "invoice_upcoming_none" });
}
