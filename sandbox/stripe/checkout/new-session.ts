import type Stripe from "stripe";
import type { Transaction } from "../transaction.ts";

interface Fields
  extends Pick<
    Stripe.Checkout.Session,
    | "id"
    | "url"
    | "amount_subtotal"
    | "amount_total"
    | "total_details"
    | "success_url"
    | "cancel_url"
    | "client_reference_id"
    | "allow_promotion_codes"
    | "billing_address_collection"
    | "consent_collection"
    | "discounts"
    | "payment_method_collection"
    | "metadata"
  > {
  customer: Stripe.Customer;
  currency: string;
  /** Shown beside the button that pays. */
  submit_text: string | null;
  locale: Stripe.Checkout.Session.Locale | null;
  expires_at: number;
}

/** An open session on the hosted page, as Stripe shows it before anything was paid. */
export function newCheckoutSession(tx: Transaction, fields: Fields): Stripe.Checkout.Session {
  const { customer, submit_text, ...chosen } = fields;
  return {
    ...chosen,
    object: "checkout.session",
    adaptive_pricing: null,
    after_expiration: null,
    allowed_payment_method_types: null,
    automatic_tax: { enabled: false, liability: null, provider: null, status: null },
    client_secret: null,
    collected_information: null,
    consent: null,
    created: tx.now,
    currency_conversion: null,
    custom_fields: [],
    custom_text: {
      after_submit: null,
      shipping_address: null,
      submit: submit_text === null ? null : { message: submit_text },
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
    integration_identifier: null,
    invoice: null,
    invoice_creation: null,
    livemode: false,
    managed_payments: null,
    mode: "subscription",
    origin_context: null,
    payment_intent: null,
    payment_link: null,
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
    ui_mode: "hosted_page",
    wallet_options: null,
  };
}
