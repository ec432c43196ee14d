import type Stripe from "stripe";
import { recordEvent } from "../objects/events.ts";
import { insertObject, newId } from "../store.ts";
import type { Transaction } from "../transaction.ts";

interface NewPayment {
  /** In the currency's minor unit. */
  amount: number;
  currency: string;
  customer: string | null;
  description: string | null;
}

/** Stores a payment that has no card yet, and records its event. */
export async function addPaymentIntent(tx: Transaction, payment: NewPayment): Promise<Stripe.PaymentIntent> {
  const id = newId("pi");
  const intent: Stripe.PaymentIntent = {
    id,
    object: "payment_intent",
    allowed_payment_method_types: null,
    amount: payment.amount,
    amount_capturable: 0,
    amount_details: {},
    amount_received: 0,
    application: null,
    application_fee_amount: null,
    automatic_payment_methods: null,
    canceled_at: null,
    cancellation_reason: null,
    capture_method: "automatic",
    client_secret: `${id}_secret_sandbox`,
    confirmation_method: "automatic",
    created: tx.now,
    currency: payment.currency,
    customer: payment.customer,
    customer_account: null,
    description: payment.description,
    excluded_payment_method_types: null,
    last_payment_error: null,
    latest_charge: null,
    livemode: false,
    managed_payments: null,
    metadata: {},
    next_action: null,
    on_behalf_of: null,
    payment_method: null,
    payment_method_configuration_details: null,
    payment_method_options: {
      card: {
        installments: null,
        mandate_options: null,
        network: null,
        request_three_d_secure: "automatic",
      },
    },
    payment_method_types: ["card"],
    payment_record: null,
    processing: null,
    receipt_email: null,
    review: null,
    setup_future_usage: null,
    shipping: null,
    source: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: "requires_payment_method",
    transfer_group: null,
  };
  await insertObject(tx, intent);
  await recordEvent(tx, { type: "payment_intent.created", data: { object: intent } });
  return intent;
}
