import { voidInvoice } from "../invoices/bill.ts";
import { findObject, lockOr404 } from "../store.ts";
import type { Transaction } from "../transaction.ts";
import { saveSubscription } from "./save.ts";

/** The first payment never came: https://docs.stripe.com/billing/subscriptions/overview#subscription-statuses */
export async function expireIncomplete(tx: Transaction, id: string): Promise<void> {
  const before = await lockOr404(tx, "subscription", id);
  if (before.status !== "incomplete") return;
  const ended = { canceled_at: tx.now, ended_at: tx.now };
  await saveSubscription(tx, before, { ...before, ...ended, status: "incomplete_expired" });
  const invoice = await findObject(tx, "invoice", String(before.latest_invoice));
  if (invoice?.status === "open") await voidInvoice(tx, invoice.id);
}
