import type Stripe from "stripe";
import { Stripe as StripeSdk } from "stripe";
import { type AppliedDiscount, amountOff, discountOf } from "../coupons/coupons.ts";
import { newId } from "../store.ts";
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
  subscription_item: string | null;
  /** The pending invoice item that it comes from. */
  invoice_item?: string;
}

export interface NewInvoice {
  /** As it is now: its balance and discount count. */
  customer: Stripe.Customer;
  /** As it will be when the invoice is made. */
  subscription: Stripe.Subscription | null;
  billing_reason: NonNullable<Stripe.Invoice.BillingReason>;
  lines: NewLine[];
  /** Needed only without lines. */
  currency?: string;
  /** The period that is over, for the renewal of a subscription; now, if left out. */
  period?: Stripe.InvoiceLineItem.Period;
  subscription_proration_date?: number;
}

/** An invoice in draft with its totals, which nobody has stored. */
export async function composeInvoice(tx: Transaction, fields: NewInvoice): Promise<Stripe.Invoice> {
  const { customer, subscription, period = { start: tx.now, end: tx.now } } = fields;
  const id = newId("in");
  const currency = fields.lines[0]?.price.currency ?? fields.currency ?? subscription?.currency ?? "usd";
  const discount = await discountOf(tx, subscription);
  const lines = composeLines(id, fields, currency, discount);
  const totals = totalsOf(lines, discount, customer.balance);
  return {
    id,
    object: "invoice",
    account_country: "US",
    account_name: "Sandbox",
    account_tax_ids: null,
    ...totals,
    amount_overpaid: 0,
    amount_paid: 0,
    amount_shipping: 0,
    application: null,
    attempt_count: 0,
    attempted: false,
    auto_advance: false,
    automatic_tax: { disabled_reason: null, enabled: false, liability: null, provider: null, status: null },
    automatically_finalizes_at: null,
    billing_reason: fields.billing_reason,
    collection_method: "charge_automatically",
    created: tx.now,
    currency,
    custom_fields: null,
    customer: customer.id,
    customer_account: null,
    customer_address: customer.address ?? null,
    customer_email: customer.email,
    customer_name: customer.name ?? null,
    customer_phone: customer.phone ?? null,
    customer_shipping: customer.shipping,
    customer_tax_exempt: "none",
    customer_tax_ids: [],
    default_payment_method: null,
    default_source: null,
    default_tax_rates: [],
    description: null,
    discounts: discount ? [discount.id] : [],
    due_date: null,
    effective_at: null,
    ending_balance: null,
    footer: null,
    from_invoice: null,
    hosted_invoice_url: null,
    invoice_pdf: null,
    issuer: { type: "self" },
    last_finalization_error: null,
    latest_revision: null,
    lines: { object: "list", data: lines, has_more: false, url: `/v1/invoices/${id}/lines` },
    livemode: false,
    metadata: {},
    next_payment_attempt: null,
    number: null,
    on_behalf_of: null,
    parent: subscription && {
      quote_details: null,
      subscription_details: {
        metadata: subscription.metadata,
        subscription: subscription.id,
        ...(fields.subscription_proration_date !== undefined && {
          subscription_proration_date: fields.subscription_proration_date,
        }),
      },
      type: "subscription_details",
    },
    payment_settings: { default_mandate: null, payment_method_options: null, payment_method_types: null },
    period_end: period.end,
    period_start: period.start,
    post_payment_credit_notes_amount: 0,
    pre_payment_credit_notes_amount: 0,
    receipt_number: null,
    rendering: null,
    shipping_cost: null,
    shipping_details: null,
    starting_balance: customer.balance,
    statement_descriptor: null,
    status: "draft",
    status_transitions: {
      finalized_at: null,
      marked_uncollectible_at: null,
      paid_at: null,
      voided_at: null,
    },
    test_clock: customer.test_clock ?? null,
    total_taxes: [],
    webhooks_delivered_at: tx.now,
  };
}

/** What is due after the customer's balance: negative is credit, positive is owed from before. All in minor units. */
export function applyBalance(total: number, balance: number): { amount_due: number; ending_balance: number } {
  const due = total + balance;
  return total <= 0 || due <= 0
    ? { amount_due: 0, ending_balance: due }
    : { amount_due: due, ending_balance: 0 };
}

function totalsOf(lines: Stripe.InvoiceLineItem[], discount: AppliedDiscount | null, balance: number) {
  const subtotal = sum(lines.map(({ amount }) => amount));
  const off = sum(lines.flatMap((line) => line.discount_amounts ?? []).map(({ amount }) => amount));
  const total_discount_amounts = discount ? [{ amount: off, discount: discount.id }] : [];
  const total = subtotal - off;
  const { amount_due } = applyBalance(total, balance);
  return {
    amount_due,
    amount_remaining: amount_due,
    subtotal,
    subtotal_excluding_tax: subtotal,
    total,
    total_discount_amounts,
    total_excluding_tax: total,
    total_pretax_credit_amounts: total_discount_amounts.map((each) => ({ ...each, type: "discount" })),
  };
}

function composeLines(
  invoice: string,
  { lines, subscription }: NewInvoice,
  currency: string,
  discount: AppliedDiscount | null,
): Stripe.InvoiceLineItem[] {
  return lines.map((line): Stripe.InvoiceLineItem => {
    const discountable = !line.proration;
    const discount_amounts =
      discount && discountable ? [{ amount: amountOff(discount, line.amount), discount: discount.id }] : [];
    return {
      id: newId("il"),
      object: "line_item",
      amount: line.amount,
      currency,
      description: line.description,
      discount_amounts,
      discountable,
      discounts: [],
      invoice,
      livemode: false,
      metadata: subscription?.metadata ?? {},
      parent: subscription && lineParent(line, subscription),
      period: line.period,
      pretax_credit_amounts: discount_amounts.map((each) => ({ ...each, type: "discount" })),
      pricing: {
        price_details: { price: line.price.id, product: String(line.price.product) },
        type: "price_details",
        unit_amount_decimal: line.price.unit_amount_decimal,
      },
      quantity: line.quantity,
      quantity_decimal: StripeSdk.Decimal.from(line.quantity),
      subscription: subscription?.id ?? null,
      subtotal: line.amount,
      taxes: [],
    };
  });
}

function lineParent(line: NewLine, subscription: Stripe.Subscription): Stripe.InvoiceLineItem.Parent {
  return {
    invoice_item_details: null,
    subscription_item_details: {
      invoice_item: line.invoice_item ?? null,
      proration: line.proration,
      proration_details: { credited_items: null },
      subscription: subscription.id,
      subscription_item: line.subscription_item ?? subscription.items.data[0]?.id ?? "",
    },
    type: "subscription_item_details",
  };
}

function sum(amounts: number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}
