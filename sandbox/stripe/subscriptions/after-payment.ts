import type Stripe from "stripe";
import { saveSubscription } from "../objects/subscriptions.ts";
import type { PaymentOutcome } from "../payments/attempt.ts";
import { lockOr404 } from "../store.ts";
import type { Transaction } from "../transaction.ts";

/** What the payment of a subscription's invoice, or its failure, does to the subscription. */
export async function afterInvoice(
  tx: Transaction,
  invoice: Stripe.Invoice,
  outcome: PaymentOutcome,
): Promise<void> {
  const id = invoice.parent?.subscription_details?.subscription;
  if (!id || outcome !== "paid") return;
  const before = await lockOr404(tx, "subscription", String(id));
  if (before.status !== "incomplete" && before.status !== "past_due") return;
  await saveSubscription(tx, before, { ...before, status: "active" });
}
