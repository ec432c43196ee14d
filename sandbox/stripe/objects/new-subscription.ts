import type Stripe from "stripe";
import { newId } from "../store.ts";
import type { Transaction } from "../transaction.ts";
import { type BillingPeriod, billingPeriod } from "./renewals.ts";

interface Purchase {
  id: string;
  customer: string;
  price: Stripe.Price;
  recurring: Stripe.Price.Recurring;
  quantity: number;
  metadata: Stripe.Metadata;
  invoice: string;
}

/** An active subscription to one price, paid until the end of its first period, which starts now. */
export async function newSubscription(tx: Transaction, purchase: Purchase): Promise<Stripe.Subscription> {
  const period = await billingPeriod(tx, purchase.recurring, tx.now, tx.now);
  return {
    id: purchase.id,
    object: "subscription",
    application: null,
    application_fee_percent: null,
    automatic_tax: { disabled_reason: null, enabled: false, liability: null },
    billing_cycle_anchor: tx.now,
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
    currency: purchase.price.currency,
    customer: purchase.customer,
    customer_account: null,
    days_until_due: null,
    default_payment_method: null,
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
      data: [newItem(tx, purchase, period)],
      has_more: false,
      url: `/v1/subscription_items?subscription=${purchase.id}`,
    },
    latest_invoice: purchase.invoice,
    livemode: false,
    managed_payments: null,
    metadata: purchase.metadata,
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
    status: "active",
    test_clock: null,
    transfer_data: null,
    trial_end: null,
    trial_settings: null,
    trial_start: null,
  };
}

function newItem(tx: Transaction, purchase: Purchase, period: BillingPeriod): Stripe.SubscriptionItem {
  return {
    id: newId("si"),
    object: "subscription_item",
    billing_thresholds: null,
    created: tx.now,
    ...period,
    current_trial: null,
    discounts: [],
    metadata: {},
    plan: legacyPlan(purchase),
    price: purchase.price,
    quantity: purchase.quantity,
    subscription: purchase.id,
    tax_rates: [],
  };
}

/** Items still carry the price a second time, in the shape of the older Plan object. */
function legacyPlan({ price, recurring }: Purchase): Stripe.Plan {
  return {
    id: price.id,
    object: "plan",
    active: price.active,
    amount: price.unit_amount,
    amount_decimal: price.unit_amount_decimal,
    billing_scheme: price.billing_scheme,
    created: price.created,
    currency: price.currency,
    interval: recurring.interval,
    interval_count: recurring.interval_count,
    livemode: false,
    metadata: price.metadata,
    meter: null,
    nickname: price.nickname,
    product: price.product,
    tiers_mode: null,
    transform_usage: null,
    trial_period_days: null,
    usage_type: "licensed",
  };
}
