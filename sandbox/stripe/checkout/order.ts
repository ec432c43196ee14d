import type Stripe from "stripe";
import { invalidRequest, resourceMissing } from "../api/errors.ts";
import { discountAmounts } from "../coupons/discounts.ts";
import type { Redeemable } from "../coupons/redemption.ts";
import { findObject } from "../store.ts";
import type { Transaction } from "../transaction.ts";

/** What a checkout session sells, and what the subscription will have. */
export interface CheckoutOrder {
  price: Stripe.Price;
  quantity: number;
  subscription_data: SubscriptionData;
}

interface SubscriptionData {
  metadata: Stripe.Metadata;
  description: string | null;
  /** Unix seconds, or days from the payment. */
  trial: { end: number } | { days: number } | null;
}

const PRICE_PARAM = "line_items[0][price]";

/** The price, if it can be sold as a subscription. @throws Stripe's 400 if not */
export async function sellablePrice(tx: Transaction, id: string): Promise<Stripe.Price> {
  const price = await findObject(tx, "price", id);
  if (!price) throw resourceMissing("price", id, PRICE_PARAM);
  if (!price.active) {
    const message = "The price specified is inactive. This field only accepts active prices.";
    throw invalidRequest(message, { param: PRICE_PARAM });
  }
  const product = await productOf(tx, price);
  if (!product.active) {
    const message = `Price \`${id}\` is not available to be purchased because its product is not active.`;
    throw invalidRequest(message, { param: PRICE_PARAM });
  }
  if (!price.recurring) {
    const message = "You must provide at least one recurring price in `subscription` mode when using prices.";
    throw invalidRequest(message, { param: "line_items" });
  }
  return price;
}

export async function productOf(tx: Transaction, price: Stripe.Price): Promise<Stripe.Product> {
  const product = await findObject(tx, "product", String(price.product));
  if (!product) throw new Error(`Price ${price.id} has no product`);
  return product;
}

export async function addOrder(
  tx: Transaction,
  session: Stripe.Checkout.Session,
  order: CheckoutOrder,
): Promise<void> {
  await tx.client.query(
    `INSERT INTO sandbox_stripe.checkout_orders (session, price, quantity, subscription_data)
     VALUES ($1, $2, $3, $4)`,
    [session.id, order.price.id, order.quantity, JSON.stringify(order.subscription_data)],
  );
}

/** The order of a session, with its price as it is now. */
export async function orderOf(tx: Transaction, session: Stripe.Checkout.Session): Promise<CheckoutOrder> {
  const { rows } = await tx.client.query<CheckoutOrder>(
    `SELECT objects.object AS price, quantity, subscription_data
     FROM sandbox_stripe.checkout_orders JOIN sandbox_stripe.objects ON objects.id = checkout_orders.price
     WHERE session = $1`,
    [session.id],
  );
  if (!rows[0]) throw new Error(`Checkout session ${session.id} has no order`);
  return rows[0];
}

/** The `line_items` of a session, which are shown only when expanded. */
export async function lineItemsOf(
  tx: Transaction,
  session: Stripe.Checkout.Session,
): Promise<Stripe.ApiList<Stripe.LineItem>> {
  const { price, quantity } = await orderOf(tx, session);
  const product = await productOf(tx, price);
  const item: Stripe.LineItem = {
    id: `li_${session.id.replace("cs_test_", "")}`,
    object: "item",
    adjustable_quantity: null,
    amount_discount: session.total_details?.amount_discount ?? 0,
    amount_subtotal: session.amount_subtotal ?? 0,
    amount_tax: 0,
    amount_total: session.amount_total ?? 0,
    currency: price.currency,
    description: product.name,
    metadata: {},
    price,
    quantity,
  };
  const url = `/v1/checkout/sessions/${session.id}/line_items`;
  return { object: "list", data: [item], has_more: false, url };
}

/** What is paid today, in minor units: nothing while a trial lasts. */
export function totalsToday(
  { price, quantity, subscription_data }: CheckoutOrder,
  redeemed: Redeemable[],
): Pick<Stripe.Checkout.Session, "amount_subtotal" | "amount_total" | "total_details"> {
  const amount_subtotal = subscription_data.trial ? 0 : (price.unit_amount ?? 0) * quantity;
  const line = { amount: amount_subtotal, product: String(price.product), discountable: true };
  const [taken = []] = discountAmounts([line], redeemed, price.currency);
  const amount_discount = taken.reduce((sum, amount) => sum + amount, 0);
  return {
    amount_subtotal,
    amount_total: amount_subtotal - amount_discount,
    total_details: { amount_discount, amount_shipping: 0, amount_tax: 0 },
  };
}

/** Without anything to pay, a session may do without a card. */
export function needsCard(session: Stripe.Checkout.Session): boolean {
  return session.payment_method_collection === "always" || (session.amount_total ?? 0) > 0;
}

export function asksForAddress({ billing_address_collection }: Stripe.Checkout.Session): boolean {
  return billing_address_collection === "required";
}
