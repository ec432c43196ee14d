import type Stripe from "stripe";
import { z } from "zod";
import {
  type ApiCall,
  integerBetween,
  mergeMetadata,
  metadata,
  readParams,
  single,
  text,
  url,
} from "../api/params.ts";
import { existingCustomer } from "../objects/customers.ts";
import { insertObject, newId } from "../store.ts";
import type { Transaction } from "../transaction.ts";
import { addOrder, sellablePrice } from "./order.ts";

const DAY_SECONDS = 24 * 60 * 60;

/** What Stripe shows of the seller's own words: https://docs.stripe.com/api/checkout/sessions/create */
const customText = text.max(1200, { error: "Invalid string: must be at most 1200 characters" });

const createSchema = z.strictObject({
  mode: z.enum(["subscription"]),
  customer: text,
  line_items: single(z.strictObject({ price: text, quantity: integerBetween(1, 999_999) })),
  success_url: url,
  cancel_url: url.optional(),
  client_reference_id: text.optional(),
  metadata,
  subscription_data: z.strictObject({ metadata }).optional(),
  custom_text: z.strictObject({ submit: z.strictObject({ message: customText }).optional() }).optional(),
});

export async function createCheckoutSession(call: ApiCall): Promise<Stripe.Checkout.Session> {
  const { tx, publicOrigin } = call;
  const params = readParams(createSchema, call.params);
  const customer = await existingCustomer(tx, params.customer);
  const [{ price: asked, quantity }] = params.line_items;
  const price = await sellablePrice(tx, asked);
  const amount = (price.unit_amount ?? 0) * quantity;
  const id = newId("cs_test");
  const session: Stripe.Checkout.Session = {
    ...blankSession(tx, customer),
    id,
    url: `${publicOrigin}/sandbox/stripe/checkout/${id}`,
    currency: price.currency,
    amount_subtotal: amount,
    amount_total: amount,
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
    success_url: params.success_url,
    cancel_url: params.cancel_url ?? null,
    client_reference_id: params.client_reference_id ?? null,
    custom_text: {
      after_submit: null,
      shipping_address: null,
      submit: params.custom_text?.submit ?? null,
      terms_of_service_acceptance: null,
    },
    metadata: mergeMetadata({}, params.metadata),
  };
  await insertObject(tx, session);
  await addOrder(tx, session, {
    price,
    quantity,
    subscription_data: { metadata: mergeMetadata({}, params.subscription_data?.metadata) },
  });
  return session;
}

/** An open session on the hosted page, as Stripe shows it before anything was paid. */
function blankSession(
  tx: Transaction,
  customer: Stripe.Customer,
): Omit<
  Stripe.Checkout.Session,
  | "id"
  | "url"
  | "currency"
  | "amount_subtotal"
  | "amount_total"
  | "total_details"
  | "success_url"
  | "cancel_url"
  | "client_reference_id"
  | "custom_text"
  | "metadata"
> {
  return {
    object: "checkout.session",
    adaptive_pricing: null,
    after_expiration: null,
    allow_promotion_codes: null,
    allowed_payment_method_types: null,
    automatic_tax: { enabled: false, liability: null, provider: null, status: null },
    billing_address_collection: null,
    client_secret: null,
    collected_information: null,
    consent: null,
    consent_collection: null,
    created: tx.now,
    currency_conversion: null,
    custom_fields: [],
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
    expires_at: tx.now + DAY_SECONDS,
    integration_identifier: null,
    invoice: null,
    invoice_creation: null,
    livemode: false,
    locale: null,
    managed_payments: null,
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
    ui_mode: "hosted_page",
    wallet_options: null,
  };
}
