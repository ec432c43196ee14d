import type Stripe from "stripe";
import { newId } from "../store.ts";
import { periodOf } from "../subscriptions/items.ts";
import type { Transaction } from "../transaction.ts";

type Schedule = Stripe.SubscriptionSchedule;
type Phase = Schedule["phases"][number];

/** A schedule whose one phase is what the subscription is now, until its period ends. */
export function scheduleFrom(tx: Transaction, subscription: Stripe.Subscription): Schedule {
  const { current_period_start: start_date, current_period_end } = periodOf(subscription);
  const end_date = subscription.cancel_at ?? current_period_end;
  const phase = newPhase({
    start_date,
    end_date,
    currency: subscription.currency,
    items: subscription.items.data.map(({ price, quantity = 1, metadata }) => ({
      price: price.id,
      quantity,
      metadata,
    })),
    discounts: subscription.discounts.map((discount) => ({
      coupon: null,
      discount: String(discount),
      promotion_code: null,
    })),
    proration_behavior: "create_prorations",
    trial_end: subscription.status === "trialing" ? subscription.trial_end : null,
  });
  return {
    id: newId("sub_sched"),
    object: "subscription_schedule",
    application: null,
    billing_mode: { flexible: {}, type: "flexible" },
    canceled_at: null,
    completed_at: null,
    created: tx.now,
    current_phase: { start_date, end_date },
    customer: subscription.customer,
    customer_account: null,
    default_settings: {
      application_fee_percent: null,
      automatic_tax: { disabled_reason: null, enabled: false, liability: null },
      billing_cycle_anchor: "automatic",
      billing_thresholds: null,
      collection_method: "charge_automatically",
      default_payment_method: null,
      description: null,
      invoice_settings: {
        account_tax_ids: null,
        custom_fields: null,
        days_until_due: null,
        description: null,
        footer: null,
        issuer: { type: "self" },
      },
      on_behalf_of: null,
      transfer_data: null,
    },
    end_behavior: subscription.cancel_at === null ? "release" : "cancel",
    livemode: false,
    metadata: {},
    pause_schedules: [],
    phases: [phase],
    released_at: null,
    released_subscription: null,
    status: "active",
    subscription: subscription.id,
    test_clock: subscription.test_clock,
  };
}

interface PhaseFields
  extends Pick<
    Phase,
    "currency" | "discounts" | "end_date" | "proration_behavior" | "start_date" | "trial_end"
  > {
  items: { price: string; quantity: number; metadata: Stripe.Metadata }[];
}

export function newPhase({ items, ...fields }: PhaseFields): Phase {
  return {
    ...fields,
    billing_cycle_anchor: null,
    default_payment_method: null,
    metadata: {},
    add_invoice_items: [],
    application_fee_percent: null,
    automatic_tax: { disabled_reason: null, enabled: false, liability: null },
    billing_thresholds: null,
    collection_method: null,
    default_tax_rates: [],
    description: null,
    invoice_settings: null,
    items: items.map(({ price, quantity, metadata }) => ({
      billing_thresholds: null,
      discounts: [],
      metadata,
      plan: price,
      price,
      quantity,
      tax_rates: [],
    })),
    on_behalf_of: null,
    transfer_data: null,
  };
}
