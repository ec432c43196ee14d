import Stripe from "stripe";
import type { NewLine } from "../invoices/compose.ts";
import { recordEvent } from "../objects/events.ts";
import { insertObject, newId, replaceObject } from "../store.ts";
import type { Transaction } from "../transaction.ts";

/** A proration that waits for the subscription's next invoice. */
interface PendingItem {
  id: string;
  amount: number;
  period: Stripe.InvoiceLineItem.Period;
  /** The subscription item. */
  item: string;
}

export async function addPendingItems(
  tx: Transaction,
  subscription: Stripe.Subscription,
  lines: NewLine[],
): Promise<void> {
  for (const line of lines) {
    const item = newInvoiceItem(tx, subscription, line);
    await insertObject(tx, item);
    await recordEvent(tx, { type: "invoiceitem.created", data: { object: item } });
  }
}

function newInvoiceItem(
  tx: Transaction,
  subscription: Stripe.Subscription,
  line: NewLine,
): Stripe.InvoiceItem {
  const { price } = line;
  return {
    id: newId("ii"),
    object: "invoiceitem",
    amount: line.amount,
    currency: price.currency,
    customer: subscription.customer,
    customer_account: null,
    date: tx.now,
    description: line.description,
    discountable: !line.proration,
    discounts: [],
    invoice: null,
    livemode: false,
    metadata: subscription.metadata,
    parent: {
      subscription_details: {
        subscription: subscription.id,
        ...(line.subscription_item && { subscription_item: line.subscription_item }),
      },
      type: "subscription_details",
    },
    period: line.period,
    pricing: {
      price_details: { price: price.id, product: String(price.product) },
      type: "price_details",
      unit_amount_decimal: price.unit_amount_decimal,
    },
    proration: line.proration,
    quantity: line.quantity,
    quantity_decimal: Stripe.Decimal.from(line.quantity),
    tax_rates: [],
    test_clock: subscription.test_clock,
  };
}

/** Those of a subscription that no invoice has taken up yet, the oldest first. */
export async function pendingItemsOf(tx: Transaction, subscription: string): Promise<PendingItem[]> {
  const items = await findPending(tx, subscription);
  return items.map(({ id, amount, period, parent }) => ({
    id,
    amount,
    period,
    item: parent?.subscription_details?.subscription_item ?? "",
  }));
}

async function findPending(tx: Transaction, subscription: string): Promise<Stripe.InvoiceItem[]> {
  const { rows } = await tx.client.query<{ object: Stripe.InvoiceItem }>(
    `SELECT object FROM sandbox_stripe.objects
     WHERE kind = 'invoiceitem' AND object @> $1 AND object->>'invoice' IS NULL ORDER BY sequence`,
    [JSON.stringify({ parent: { subscription_details: { subscription } } })],
  );
  return rows.map(({ object }) => object);
}

/** They as lines of an invoice. */
export async function pendingLines(tx: Transaction, subscription: string): Promise<NewLine[]> {
  const items = await findPending(tx, subscription);
  const lines: NewLine[] = [];
  for (const item of items) {
    const { rows } = await tx.client.query<{ object: Stripe.Price }>(
      "SELECT object FROM sandbox_stripe.objects WHERE id = $1",
      [item.pricing?.price_details?.price],
    );
    const [price] = rows;
    if (!price) continue;
    lines.push({
      amount: item.amount,
      price: price.object,
      quantity: item.quantity,
      description: item.description ?? "",
      period: item.period,
      proration: item.proration,
      subscription_item: item.parent?.subscription_details?.subscription_item ?? null,
      invoice_item: item.id,
    });
  }
  return lines;
}

/** After they have become lines of this invoice. */
export async function takeUpPendingItems(
  tx: Transaction,
  subscription: string,
  invoice: string,
): Promise<void> {
  for (const item of await findPending(tx, subscription)) await replaceObject(tx, { ...item, invoice });
}
