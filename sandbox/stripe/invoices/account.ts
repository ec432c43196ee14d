import type Stripe from "stripe";
import { previousAttributes, recordEvent } from "../objects/events.ts";
import { lockOr404, newId, replaceObject } from "../store.ts";
import type { Transaction } from "../transaction.ts";

/** The next number of a customer's invoices: `3F2A91C0-0001` */
export async function numberInvoice(tx: Transaction, customerId: string): Promise<string> {
  const customer = await lockOr404(tx, "customer", customerId);
  if (customer.deleted) return `DELETED-${newId("in").slice(3, 9)}`;
  const sequence = customer.next_invoice_sequence ?? 1;
  await replaceObject(tx, { ...customer, next_invoice_sequence: sequence + 1 });
  return `${customer.invoice_prefix}-${String(sequence).padStart(4, "0")}`;
}

/**
 * Changes what the customer has in credit, if the amount is not 0: negative is credit for them, positive is owed by them.
 * https://docs.stripe.com/billing/customer/balance
 */
export async function addToBalance(
  tx: Transaction,
  invoice: Pick<Stripe.Invoice, "customer" | "currency">,
  amount: number,
): Promise<void> {
  if (amount === 0) return;
  const before = await lockOr404(tx, "customer", String(invoice.customer));
  if (before.deleted) return;
  const after: Stripe.Customer = {
    ...before,
    balance: before.balance + amount,
    currency: before.currency ?? invoice.currency,
  };
  await replaceObject(tx, after);
  const data = { object: after, previous_attributes: previousAttributes(before, after) };
  await recordEvent(tx, { type: "customer.updated", data });
}
