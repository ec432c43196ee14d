import type Stripe from "stripe";
import { composeInvoice, type NewInvoice, type NewLine } from "../invoices/compose.ts";
import { linesOfPeriod } from "../invoices/lines.ts";
import { existingCustomer } from "../objects/customers.ts";
import { atNextPhase } from "../schedules/next-phase.ts";
import type { Transaction } from "../transaction.ts";
import { periodOf } from "./items.ts";
import { pendingLines } from "./pending-items.ts";
import { renewedSubscription } from "./renew.ts";

/** An invoice that nobody makes, at `tx.now`. */
export async function previewInvoice(
  tx: Transaction,
  fields: Omit<NewInvoice, "billing_reason" | "customer"> & { customer: string },
): Promise<Stripe.Invoice> {
  const customer = await existingCustomer(tx, fields.customer);
  const invoice = await composeInvoice(tx, { ...fields, customer, billing_reason: "upcoming" });
  return { ...invoice, id: invoice.id.replace("in_", "upcoming_in_"), next_payment_attempt: tx.now };
}

/** The invoice of the next renewal, with the prorations that wait for it; a schedule's next phase counts. */
export async function previewRenewal(
  tx: Transaction,
  subscription: Stripe.Subscription,
  prorations: NewLine[] = [],
): Promise<Stripe.Invoice> {
  const { current_period_start: start, current_period_end: end } = periodOf(subscription);
  const next = renewedSubscription(await atNextPhase(tx, subscription), end);
  const then = { ...tx, now: end };
  return previewInvoice(then, {
    customer: String(subscription.customer),
    subscription: next,
    lines: [
      ...(await pendingLines(tx, subscription.id)),
      ...prorations,
      ...(await linesOfPeriod(then, next)),
    ],
    period: { start, end },
  });
}
