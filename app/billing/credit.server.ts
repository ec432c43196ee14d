import type Stripe from "stripe";
import { lockUser } from "../auth/users.server.ts";
import type { Database } from "../db/client.server.ts";
import type { CreditJob } from "./job-kinds.server.ts";
import type { Notice } from "./notices/notice.ts";
import { creditMessage } from "./notices/payment-messages.ts";
import { sendOnce } from "./notices/send-once.server.ts";
import { nullIfMissing, withIdempotencyKey } from "./stripe.server.ts";
import { type SyncSettings, syncCustomer } from "./sync/sync-customer.server.ts";

/** Adds a credit, taken off the next invoices. Safe to repeat, also after Stripe has forgotten the key. @throws Stripe's errors */
export async function giveCredit(
  stripe: Stripe,
  db: Database,
  settings: SyncSettings,
  { key, userId, stripeCustomerId, amount, currency }: CreditJob,
): Promise<void> {
  const made = await nullIfMissing(
    stripe.customers.listBalanceTransactions(stripeCustomerId, { limit: 100 }).then(({ data }) => data),
  );
  if (!made) return;
  const params = { amount: -amount, currency, description: "Credit", metadata: { decision: key } };
  if (!made.some(({ metadata }) => metadata?.decision === key))
    await withIdempotencyKey(`credit-${key}`, (idempotencyKey) =>
      stripe.customers.createBalanceTransaction(stripeCustomerId, params, { idempotencyKey }),
    );
  await syncCustomer(stripe, db, settings, stripeCustomerId);
  const now = new Date();
  const notice: Notice = {
    kind: "credited",
    subject: key,
    occurredAt: now,
    write: (recipient) => creditMessage({ amount, currency }, recipient),
  };
  await db.transaction(async (tx) => {
    const owner = await lockUser(tx, userId);
    if (owner) await sendOnce(tx, settings.site, { userId, email: owner.email }, [notice], now);
  });
}
