import type Stripe from "stripe";
import { invalidRequest, resourceMissing } from "../api/errors.ts";
import { findObject } from "../store.ts";
import type { Transaction } from "../transaction.ts";

/** What a checkout session sells, and what the subscription will have. */
export interface CheckoutOrder {
  price: Stripe.Price;
  quantity: number;
  subscription_data: { metadata: Stripe.Metadata };
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
