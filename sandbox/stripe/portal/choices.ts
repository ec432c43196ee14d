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
  const choices: Choice[] = [];
  for (const price of data) {
    if (price.id === current || (named && !named.includes(price.id))) continue;
    const product = await findObject(tx, "product", String(price.product));
    if (product?.active) choices.push({ price, product });
  }
  return choices.sort((one, other) => (one.price.unit_amount ?? 0) - (other.price.unit_amount ?? 0));
}
