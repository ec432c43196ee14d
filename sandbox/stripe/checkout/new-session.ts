import type Stripe from "stripe";
import type { Transaction } from "../transaction.ts";

interface Order {
  id: string;
  url: string;
  customer: Stripe.Customer;
  currency: string;
  /** In the currency's minor unit. */
  total: number;
  success_url: string;
  cancel_url: string | null;
  client_reference_id: string | null;
  allow_promotion_codes: boolean | null;
  /** Shown beside the button that pays. */
  submit_text: string | null;
  metadata: Stripe.Metadata;
  expires_at: number;
}

/** An open session on the hosted page, as Stripe shows it before anything was paid. */
export function newCheckoutSession(tx: Transaction, order: Order): Stripe.Checkout.Session {
  const { customer, total } = order;
  return {
    id: order.id,
    object: "checkout.session",
    adaptive_pricing: null,
    after_expiration: null,
    allow_promotion_codes: order.allow_promotion_codes,
    allowed_payment_method_types: null,
    amount_subtotal: total,
    amount_total: total,
    automatic_tax: { enabled: false, liability: null, provider: null, status: null },
    billing_address_collection: null,
    cancel_url: order.cancel_url,
    client_reference_id: order.client_reference_id,
    client_secret: null,
    collected_information: null,
    consent: null,
    consent_collection: null,
    created: tx.now,
    currency: order.currency,
    currency_conversion: null,
    custom_fields: [],
    custom_text: {
      after_submit: null,
      shipping_address: null,
      submit: order.submit_text === null ? null : { message: order.submit_text },
      terms_of_service_acceptance: null,
    },
    customer: customer.id,
    customer_account: null,
    customer_creation: null,
    customer_details: {
      address: null,
      business_name: null,
      email: customer.email,
      individual_name: null,
      name: customer.name ?? null,
      phone: null,
      tax_exempt: "none",
      tax_ids: null,
    },
    customer_email: null,
    discounts: [],
    expires_at: order.expires_at,
    integration_identifier: null,
    invoice: null,
    invoice_creation: null,
    livemode: false,
    locale: null,
    managed_payments: null,
    metadata: order.metadata,
    mode: "subscription",
    origin_context: null,
    payment_intent: null,
    payment_link: null,
    payment_method_collection: "always",
    payment_method_configuration_details: null,
    payment_method_options: null,
    payment_method_types: ["card"],
    payment_status: "unpaid",
    permissions: null,
    phone_number_collection: { enabled: false },
    recovered_from: null,
    saved_payment_method_options: null,
    setup_intent: null,
    shipping_address_collection: null,
    shipping_cost: null,
    shipping_options: [],
    status: "open",
    submit_type: null,
    subscription: null,
    success_url: order.success_url,
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
    ui_mode: "hosted_page",
    url: order.url,
    wallet_options: null,
  };
}
