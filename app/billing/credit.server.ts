import { lockUser } from "../auth/users.server.ts";
import type { CreditJob } from "./job-kinds.server.ts";
import type { Notice } from "./notices/notice.ts";
import { creditMessage } from "./notices/payment-messages.ts";
import { sendOnce } from "./notices/send-once.server.ts";
import { nullIfMissing, type StripeApp, withIdempotencyKey } from "./stripe.server.ts";
import { syncCustomer } from "./sync/sync-customer.server.ts";

/** Adds a credit, taken off the next invoices. Safe to repeat, also after Stripe has forgotten the key. @throws Stripe's errors */
export async function giveCredit(
  app: StripeApp,
  { key, userId, stripeCustomerId, amount, currency }: CreditJob,
): Promise<void> {
  const { stripe, db, config } = app;
  const made = await nullIfMissing(
    stripe.customers.listBalanceTransactions(stripeCustomerId, { limit: 100 }).then(({ data }) => data),
  );
  if (!made) return;
  const params = { amount: -amount, currency, description: "Credit", metadata: { decision: key } };
  if (!made.some(({ metadata }) => metadata?.decision === key))
    await withIdempotencyKey(`credit-${key}`, (idempotencyKey) =>
      stripe.customers.createBalanceTransaction(stripeCustomerId, params, { idempotencyKey }),
    );
  await syncCustomer(app, stripeCustomerId);
  const now = new Date();
  const notice: Notice = {
    kind: "credited",
    subject: key,
    occurredAt: now,
    write: (recipient) => creditMessage({ amount, currency }, recipient),
  };
  await db.transaction(async (tx) => {
    const owner = await lockUser(tx, userId);
    if (owner) await sendOnce(tx, config.site, { userId, email: owner.email }, [notice], now);
  });
}
