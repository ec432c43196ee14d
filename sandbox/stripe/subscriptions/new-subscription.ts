import type Stripe from "stripe";
import type { Transaction } from "../transaction.ts";
import { newItem, type RecurringPrice } from "./items.ts";
import { type BillingPeriod, billingPeriod } from "./periods.ts";

interface SubscriptionFields {
  id: string;
  customer: Stripe.Customer;
  /** At least one; all are billed together. */
  items: { price: RecurringPrice; quantity: number; metadata?: Stripe.Metadata }[];
  status: "active" | "incomplete" | "trialing";
  /** Unix seconds. */
  trial_end?: number | null | undefined;
  default_payment_method?: string | null | undefined;
  metadata: Stripe.Metadata;
}

/** A subscription that starts now: with a trial, or with its first period. */
export function composeSubscription(tx: Transaction, fields: SubscriptionFields): Stripe.Subscription {
  const { customer, trial_end = null } = fields;
  const [first] = fields.items;
  if (!first) throw new Error(`Subscription ${fields.id} has no items`);
  const period: BillingPeriod =
    trial_end === null
      ? billingPeriod(first.price.recurring, tx.now, tx.now)
      : { current_period_start: tx.now, current_period_end: trial_end };
  return {
    id: fields.id,
    object: "subscription",
    application: null,
    application_fee_percent: null,
    automatic_tax: { disabled_reason: null, enabled: false, liability: null },
    billing_cycle_anchor: trial_end ?? tx.now,
    billing_cycle_anchor_config: null,
    billing_mode: { flexible: {}, type: "flexible" },
    billing_schedules: [],
    billing_thresholds: null,
    cancel_at: null,
    cancel_at_period_end: false,
    canceled_at: null,
    cancellation_details: { comment: null, feedback: null, feedback_option: null, reason: null },
    collection_method: "charge_automatically",
    created: tx.now,
    currency: first.price.currency,
    customer: customer.id,
    customer_account: null,
    days_until_due: null,
    default_payment_method: fields.default_payment_method ?? null,
    default_source: null,
    default_tax_rates: [],
    description: null,
    discounts: [],
    ended_at: null,
    invoice_settings: {
      account_tax_ids: null,
      custom_fields: null,
      description: null,
      footer: null,
      issuer: { type: "self" },
    },
    items: {
      object: "list",
      data: fields.items.map((item) =>
        newItem({ ...item, subscription: fields.id, created: tx.now, period }),
      ),
      has_more: false,
      url: `/v1/subscription_items?subscription=${fields.id}`,
    },
    latest_invoice: null,
    livemode: false,
    managed_payments: null,
    metadata: fields.metadata,
    next_pending_invoice_item_invoice: null,
    on_behalf_of: null,
    pause_collection: null,
    payment_settings: {
      payment_method_options: null,
      payment_method_types: null,
      save_default_payment_method: "off",
    },
    pending_invoice_item_interval: null,
    pending_setup_intent: null,
    pending_update: null,
    schedule: null,
    start_date: tx.now,
    status: fields.status,
    test_clock: customer.test_clock ?? null,
    transfer_data: null,
    trial_end,
    trial_settings: {
      end_behavior: { billing_cycle_anchor: null, missing_payment_method: "create_invoice" },
    },
    trial_start: trial_end === null ? null : tx.now,
  };
}
