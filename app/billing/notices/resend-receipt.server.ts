import Stripe from "stripe";
import { type Actor, recordChange } from "../../audit/record-change.server.ts";
import { AUTH_LIMITS } from "../../auth/limits.ts";
import { lockUser } from "../../auth/users.server.ts";
import { withLimit } from "../../limits/rate-limit.server.ts";
import { enqueueMail } from "../../mail/enqueue-mail.server.ts";
import { findCustomer } from "../customer.server.ts";
import type { BillingApp } from "../stripe.server.ts";
import { fetchCustomerState } from "../sync/customer-state.server.ts";
import type { Notice } from "./notice.ts";
import { noticesOf } from "./notices.ts";
import { readRecipient } from "./recipient.server.ts";

/**
 * Written anew from what Stripe has now. Failures: 429 too many mails to this user.
 * @returns `no_receipt`: Stripe has nothing of theirs that such a mail would be about
 */
export async function resendNotice(
  app: BillingApp,
  actor: Actor,
  userId: string,
  isWanted: (notice: Notice) => boolean,
) {
  const { config, db, log, payments } = app;
  if (!payments.isOn) return "payments_off";
  const stripeApp = { ...app, stripe: payments.stripe };
  const stripeCustomerId = await findCustomer(db, userId);
  if (!stripeCustomerId) return "no_receipt";
  return withLimit(app, AUTH_LIMITS.mailByOperator, userId, async () => {
    try {
      const customer = { userId, stripeCustomerId };
      const answer = await fetchCustomerState(stripeApp, customer, { hasAllRefunds: true });
      return await db.transaction(async (tx) => {
        const owner = await lockUser(tx, userId);
        if (!owner) return "no_account";
        const recipient = await readRecipient(tx, config.site, { userId, email: owner.email }, new Date());
        const found = noticesOf(answer, new Date()).find(isWanted);
        if (!found) return "no_receipt";
        const { kind, subject, about } = found;
        await enqueueMail(tx, config.site, found.write(recipient), { about });
        await recordChange(tx, actor, {
          action: "user.mail_sent",
          subject: `user:${userId}`,
          after: kind === "receipt" ? { mail: kind, invoice: subject } : { mail: kind, about: subject },
        });
        return "sent";
      });
    } catch (error) {
      if (!(error instanceof Stripe.errors.StripeError)) throw error;
      log.warn({ error }, "an operator could not send a mail again");
      return "stripe_away";
    }
  });
}
