import type Stripe from "stripe";
import { type AppliedDiscount, amountOff, discountOf } from "../coupons.ts";
import { formatAmount, intervalName } from "../format.ts";
import { findObject, newId, stripeObject } from "../store.ts";
import { isTaxable, taxesOn } from "../tax.ts";
import type { Transaction } from "../transaction.ts";

/** A line of an invoice before its discounts. */
export interface NewLine {
  /** In the currency's minor unit; negative for a credit. */
  amount: number;
  price: Stripe.Price;
  quantity: number;
  description: string;
  period: Stripe.InvoiceLineItem.Period;
  proration: boolean;
  subscription_item: string;
}

export interface NewInvoice {
  customer: Stripe.Customer;
  subscription: Stripe.Subscription;
  billing_reason: NonNullable<Stripe.Invoice.BillingReason>;
  lines: NewLine[];
  /** The period that is over, for the renewal of a subscription; now, if left out. */
  period?: Stripe.InvoiceLineItem.Period;
}

/** An invoice in draft with its totals, which is not stored. */
export async function composeInvoice(tx: Transaction, fields: NewInvoice): Promise<Stripe.Invoice> {
  const { customer, subscription, period = { start: tx.now, end: tx.now } } = fields;
  const discount = await discountOf(tx, subscription);
  // Older subscriptions have no such field.
  const isTaxed = subscription.automatic_tax?.enabled ?? false;
  const address = isTaxed && isTaxable(customer.address) ? customer.address : null;
  const lines = fields.lines.map((line) => composeLine(line, subscription, discount, address));
  const subtotal = sum(lines.map(({ amount }) => amount));
  const off = sum(lines.flatMap((line) => line.discount_amounts ?? []).map(({ amount }) => amount));
  const taxes = lines.flatMap((line) => line.taxes);
  const total = subtotal - off + sum(taxes.map(({ amount }) => amount));
  const { amount_due } = applyBalance(total, customer.balance);
  return stripeObject<Stripe.Invoice>({
    id: newId("in"),
    object: "invoice",
    account_name: "Sandbox",
    amount_due,
    amount_paid: 0,
    amount_remaining: amount_due,
    attempt_count: 0,
    automatic_tax: {
      disabled_reason: isTaxed && !address ? "finalization_requires_location_inputs" : null,
      enabled: isTaxed && address !== null,
      status: isTaxed ? (address ? "complete" : "requires_location_inputs") : null,
    },
    billing_reason: fields.billing_reason,
    created: tx.now,
    currency: subscription.currency,
    customer: customer.id,
    customer_email: customer.email,
    customer_name: customer.name ?? null,
    description: null,
    discounts: discount ? [discount.id] : [],
    ending_balance: null,
    hosted_invoice_url: null,
    invoice_pdf: null,
    lines: { object: "list", data: lines, has_more: false },
    metadata: {},
    next_payment_attempt: null,
    number: null,
    parent: {
      subscription_details: { metadata: subscription.metadata, subscription: subscription.id },
      type: "subscription_details",
    },
    period_end: period.end,
    period_start: period.start,
    starting_balance: customer.balance,
    status: "draft",
    status_transitions: { finalized_at: null, paid_at: null, voided_at: null },
    subtotal,
    test_clock: customer.test_clock ?? null,
    total,
    total_discount_amounts: discount ? [{ amount: off, discount: discount.id }] : [],
    total_excluding_tax: subtotal - off,
    total_taxes: totalTaxes(taxes),
  });
}

/** The amount due after the customer's balance: negative is credit, positive is a debt. All in minor units. */
export function applyBalance(total: number, balance: number): { amount_due: number; ending_balance: number } {
  const due = total + balance;
  return total <= 0 || due <= 0
    ? { amount_due: 0, ending_balance: due }
    : { amount_due: due, ending_balance: 0 };
}

function totalTaxes(taxes: readonly Stripe.InvoiceLineItem.Tax[]): Stripe.Invoice.TotalTax[] {
  return [...Map.groupBy(taxes, (tax) => tax.tax_rate_details?.tax_rate).values()].flatMap((same) =>
    same.slice(0, 1).map((tax) => ({
      ...tax,
      amount: sum(same.map(({ amount }) => amount)),
      taxable_amount: sum(same.map(({ taxable_amount }) => taxable_amount ?? 0)),
    })),
  );
}

function composeLine(
  line: NewLine,
  subscription: Stripe.Subscription,
  discount: AppliedDiscount | null,
  address: Stripe.Address | null,
) {
  const off = discount &&
    !line.proration && { amount: amountOff(discount, line.amount), discount: discount.id };
  return {
    id: newId("il"),
    object: "line_item" as const,
    amount: line.amount,
    currency: subscription.currency,
    description: line.description,
    discount_amounts: off ? [off] : [],
    metadata: subscription.metadata,
    parent: {
      subscription_item_details: {
        proration: line.proration,
        subscription: subscription.id,
        subscription_item: line.subscription_item,
      },
      type: "subscription_item_details" as const,
    },
    period: line.period,
    pricing: {
      price_details: { price: line.price.id, product: String(line.price.product) },
      type: "price_details" as const,
      unit_amount_decimal: line.price.unit_amount_decimal,
    },
    quantity: line.quantity,
    subscription: subscription.id,
    taxes: address ? taxesOn(line.amount - (off ? off.amount : 0), address) : [],
  };
}

function sum(amounts: number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}

/** The price of each item for its current period, `1 × CSV + Banking (at $49.99 / year)`; nothing during a trial. */
export async function linesOfPeriod(tx: Transaction, subscription: Stripe.Subscription): Promise<NewLine[]> {
  const isTrial = subscription.status === "trialing";
  const lines: NewLine[] = [];
  for (const item of subscription.items.data) {
    const { id, price, quantity = 1 } = item;
    const name = await productName(tx, price);
    const each = formatAmount(price.unit_amount ?? 0, price.currency);
    lines.push({
      amount: isTrial ? 0 : (price.unit_amount ?? 0) * quantity,
      price,
      quantity,
      description: isTrial
        ? `Trial period for ${name}`
        : `${quantity} × ${name} (at ${each} / ${intervalName(price.recurring)})`,
      period: { start: item.current_period_start, end: item.current_period_end },
      proration: false,
      subscription_item: id,
    });
  }
  return lines;
}

export async function productName(tx: Transaction, price: Stripe.Price): Promise<string> {
  const product = await findObject(tx, "product", String(price.product));
  return product?.name ?? String(price.product);
}
