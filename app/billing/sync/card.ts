import type Stripe from "stripe";
import type { customers } from "../schema.ts";

type CardColumns = Pick<
  typeof customers.$inferSelect,
  "paymentMethodId" | "cardBrand" | "cardLast4" | "cardExpMonth" | "cardExpYear"
>;

/**
 * What pays next: the payment method of the subscription, or else the customer's own.
 *
 * @param subscriptions that have not ended, with `default_payment_method`
 */
export function cardOnFile(
  customer: Stripe.Customer | Stripe.DeletedCustomer,
  subscriptions: readonly Stripe.Subscription[],
): CardColumns {
  const own = customer.deleted ? null : customer.invoice_settings.default_payment_method;
  const method = subscriptions.map((each) => each.default_payment_method).find(Boolean) ?? own;
  const { id = null, card = null } = typeof method === "string" ? { id: method } : (method ?? {});
  return {
    paymentMethodId: id,
    cardBrand: card?.brand ?? null,
    cardLast4: card?.last4 ?? null,
    cardExpMonth: card?.exp_month ?? null,
    cardExpYear: card?.exp_year ?? null,
  };
}
