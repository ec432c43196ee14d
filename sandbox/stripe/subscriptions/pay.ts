import { collectInvoice, finalizeInvoice, settle } from "../invoices/bill.ts";
import { whyUnpaid } from "../invoices/invoices.ts";
import { findOr404 } from "../store.ts";
import type { Transaction } from "../transaction.ts";
import { afterInvoice } from "./after-payment.ts";
import { nextRetry } from "./dunning.ts";

export type PaymentBehavior = "allow_incomplete" | "default_incomplete" | "error_if_incomplete";

interface Payment {
  payment_behavior: PaymentBehavior;
  offSession: boolean;
  /** Whether it is tried again later, if it fails. */
  isRetried: boolean;
}

/**
 * Has the invoice of a request paid, as the request says.
 * @throws Stripe's 402 for `error_if_incomplete`, when it is not paid
 */
export async function payInvoiceOf(
  tx: Transaction,
  id: string,
  { payment_behavior, offSession, isRetried }: Payment,
): Promise<void> {
  if (payment_behavior === "default_incomplete") {
    const invoice = await finalizeInvoice(tx, id);
    if (invoice.amount_remaining === 0) await settle(tx, invoice, 0);
    else await afterInvoice(tx, invoice, "requires_action");
    return;
  }
  const { created } = await findOr404(tx, "invoice", id);
  const nextPaymentAttempt = isRetried ? nextRetry(created, tx.now) : null;
  const outcome = await collectInvoice(tx, id, { offSession, nextPaymentAttempt });
  if (outcome !== "paid" && payment_behavior === "error_if_incomplete")
    throw await whyUnpaid(tx, id, outcome);
}
