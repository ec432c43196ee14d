import type Stripe from "stripe";
import type { NewLine } from "../invoices/compose.ts";
import { periodLine, trialLine } from "../invoices/lines.ts";
import type { Transaction } from "../transaction.ts";

/** What each item costs for its current period; nothing while it is tried out. */
export async function linesOfPeriod(tx: Transaction, subscription: Stripe.Subscription): Promise<NewLine[]> {
  const line = subscription.status === "trialing" ? trialLine : periodLine;
  const lines: NewLine[] = [];
  for (const item of subscription.items.data) lines.push(await line(tx, item));
  return lines;
}
