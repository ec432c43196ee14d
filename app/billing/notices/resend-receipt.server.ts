import { and, eq } from "drizzle-orm";
import Stripe from "stripe";
import { type Actor, recordChange } from "../../audit/record-change.server.ts";
import { AUTH_LIMITS } from "../../auth/limits.ts";
import { lockUser } from "../../auth/users.server.ts";
import type { App } from "../../http/context.server.ts";
import { type TooManyRequests, withLimit } from "../../limits/rate-limit.server.ts";
import { enqueueMail } from "../../mail/enqueue-mail.server.ts";
import { findCustomer } from "../customer.server.ts";
import { stripeInvoices } from "../schema.ts";
import { fetchCustomerState } from "../sync/customer-state.server.ts";
import { noticesOf } from "./notices.ts";

/** `no_receipt`: nothing was paid on that invoice, or it belongs to another user. */
export type ReceiptResending = "sent" | "no_receipt" | "no_account" | "payments_off" | "stripe_away";

/** Sends a payment's receipt again, written from what Stripe has of it. Failures: 429 too many mails to this user. */
export async function resendReceipt(
  app: Pick<App, "config" | "db" | "log" | "payments">,
  actor: Actor,
  userId: string,
  invoiceId: string,
): Promise<ReceiptResending | TooManyRequests> {
  const { config, db, log, payments } = app;
  if (!payments.isOn) return "payments_off";
  const { stripe } = payments;
  const stripeCustomerId = await findCustomer(db, userId);
  const [invoice] = await db
    .select({ id: stripeInvoices.id })
    .from(stripeInvoices)
    .where(and(eq(stripeInvoices.id, invoiceId), eq(stripeInvoices.userId, userId)));
  if (!invoice || !stripeCustomerId) return "no_receipt";
  return withLimit(app, AUTH_LIMITS.mailByOperator, userId, async () => {
    try {
      const answer = await fetchCustomerState(stripe, db, { userId, stripeCustomerId }, config.graceDays);
      const receipt = noticesOf(answer, new Date()).find(
        ({ kind, subject }) => kind === "receipt" && subject === invoiceId,
      );
      if (!receipt) return "no_receipt";
      return await db.transaction(async (tx) => {
        const owner = await lockUser(tx, userId);
        if (!owner) return "no_account";
        const recipient = { to: owner.email, site: config.site, timeZone: owner.timeZone };
        await enqueueMail(tx, config.site, receipt.write(recipient));
        await recordChange(tx, actor, {
          action: "user.mail_sent",
          subject: `user:${userId}`,
          after: { mail: "receipt", invoice: invoiceId },
        });
        return "sent";
      });
    } catch (error) {
      if (!(error instanceof Stripe.errors.StripeError)) throw error;
      log.warn({ error }, "an operator could not send a receipt again");
      return "stripe_away";
    }
  });
}
