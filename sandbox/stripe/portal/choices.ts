import type Stripe from "stripe";
import { findObject, listObjects } from "../store.ts";
import type { Visit } from "./visit.ts";

interface Choice {
  price: Stripe.Price;
  product: Stripe.Product;
}

/** The plans that a subscription can be changed to: those the configuration names, or all that are on sale. */
export async function choicesFor(
  { tx, features }: Visit,
  { currency, items }: Stripe.Subscription,
): Promise<Choice[]> {
  const { products } = features.subscription_update;
  const named = products?.flatMap(({ prices }) => prices);
  const having = { active: true, type: "recurring", currency };
  const { data } = await listObjects(tx, "price", "", { limit: 100, having });
  const current = items.data[0]?.price.id;
  const offered = data.filter(({ id }) => id !== current && (named?.includes(id) ?? true));
  const choices = await Promise.all(
    offered.map(async (price) => ({
      price,
      product: await findObject(tx, "product", String(price.product)),
    })),
  );
  return choices
    .flatMap(({ price, product }) => (product?.active ? [{ price, product }] : []))
    .sort((one, other) => (one.price.unit_amount ?? 0) - (other.price.unit_amount ?? 0));
}
