import type Stripe from "stripe";
import { z } from "zod";
import { resourceMissing } from "../api/errors.ts";
import { type ApiCall, mergeMetadata, metadata, readParams, text } from "../api/params.ts";
import { enterTimeOf } from "../clocks/clock-time.ts";
import { findOr404, lockOr404, pageParams } from "../store.ts";
import type { Transaction } from "../transaction.ts";
import { withItems } from "./items.ts";
import { saveSubscription } from "./save.ts";
import { updateSubscription } from "./update.ts";

export async function retrieveSubscriptionItem({ tx, id }: ApiCall): Promise<Stripe.SubscriptionItem> {
  return (await itemOr404(tx, id)).item;
}

const listSchema = z.strictObject({ ...pageParams, subscription: text });

export async function listSubscriptionItems({
  tx,
  params,
}: ApiCall): Promise<Stripe.ApiList<Stripe.SubscriptionItem>> {
  const { subscription, limit, starting_after } = readParams(listSchema, params);
  const { items } = await findOr404(tx, "subscription", subscription);
  const start = starting_after ? items.data.findIndex(({ id }) => id === starting_after) + 1 : 0;
  const data = items.data.slice(start, start + limit);
  return {
    object: "list",
    data,
    has_more: start + limit < items.data.length,
    url: "/v1/subscription_items",
  };
}

/** The price and the quantity change as by an update of the subscription: https://docs.stripe.com/api/subscription_items/update */
export async function updateSubscriptionItem(call: ApiCall): Promise<Stripe.SubscriptionItem> {
  const { tx, id, params } = call;
  const found = await itemOr404(tx, id);
  const subscription = found.subscription.id;
  await enterTimeOf(tx, [subscription], { lock: true });
  const { price, quantity, metadata: changes, ...billing } = params;
  if (price !== undefined || quantity !== undefined) {
    const item = { id, ...(price !== undefined && { price }), ...(quantity !== undefined && { quantity }) };
    await updateSubscription({ ...call, id: subscription, params: { ...billing, items: { 0: item } } });
  }
  if (changes !== undefined) {
    const update = readParams(z.strictObject({ metadata }), { metadata: changes });
    const before = await lockOr404(tx, "subscription", subscription);
    const items = before.items.data.map((item) =>
      item.id === id ? { ...item, metadata: mergeMetadata(item.metadata, update.metadata) } : item,
    );
    await saveSubscription(tx, before, { ...before, items: withItems(before, items) });
  }
  return (await itemOr404(tx, id)).item;
}

async function itemOr404(tx: Transaction, id: string) {
  const { rows } = await tx.client.query<{ object: Stripe.Subscription }>(
    "SELECT object FROM sandbox_stripe.objects WHERE kind = 'subscription' AND object @> $1 LIMIT 1",
    [JSON.stringify({ items: { data: [{ id }] } })],
  );
  const subscription = rows[0]?.object;
  const item = subscription?.items.data.find((each) => each.id === id);
  if (!subscription || !item) throw resourceMissing("subscription_item", id);
  return { subscription, item };
}
