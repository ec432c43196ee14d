import type Stripe from "stripe";
import { z } from "zod";
import { invalidRequest } from "../api/errors.ts";
import {
  type ApiCall,
  boolean,
  integer,
  integerBetween,
  list,
  mergeMetadata,
  metadata,
  readParams,
  single,
  text,
  url,
} from "../api/params.ts";
import { type Redeemable, redeemable } from "../coupons/redemption.ts";
import { existingCustomer } from "../objects/customers.ts";
import { insertObject, newId } from "../store.ts";
import type { Transaction } from "../transaction.ts";
import { newCheckoutSession } from "./new-session.ts";
import { addOrder, type CheckoutOrder, sellablePrice, totalsToday } from "./order.ts";

const HALF_HOUR_SECONDS = 30 * 60;
const DAY_SECONDS = 24 * 60 * 60;

/** What Stripe shows of the seller's own words: https://docs.stripe.com/api/checkout/sessions/create */
const customText = text.max(1200, { error: "Invalid string: must be at most 1200 characters" });

const autoOrNever = z.enum(["auto", "never"]).optional();

const createSchema = z.strictObject({
  mode: z.enum(["subscription"]),
  customer: text,
  line_items: single(z.strictObject({ price: text, quantity: integerBetween(1, 999_999) })),
  success_url: url,
  cancel_url: url.optional(),
  client_reference_id: text.optional(),
  metadata,
  subscription_data: z
    .strictObject({
      metadata,
      description: text.optional(),
      trial_period_days: integerBetween(1, 730).optional(),
      trial_end: integer.optional(),
    })
    .optional(),
  expires_at: integer.optional(),
  allow_promotion_codes: boolean.optional(),
  discounts: list(z.union([z.strictObject({ coupon: text }), z.strictObject({ promotion_code: text })]))
    .pipe(z.array(z.any()).max(1, { error: "Only one discount can be given here." }))
    .optional(),
  billing_address_collection: z.enum(["auto", "required"]).optional(),
  consent_collection: z
    .strictObject({ terms_of_service: z.enum(["none", "required"]).optional() })
    .optional(),
  custom_text: z.strictObject({ submit: z.strictObject({ message: customText }).optional() }).optional(),
  /** Accepted without effect: the customer always gets what the page asked for. */
  customer_update: z
    .strictObject({ address: autoOrNever, name: autoOrNever, shipping: autoOrNever })
    .optional(),
  locale: text.optional(),
  payment_method_collection: z.enum(["always", "if_required"]).optional(),
  payment_method_types: list(z.enum(["card"])).optional(),
});
type Params = z.output<typeof createSchema>;

export async function createCheckoutSession(call: ApiCall): Promise<Stripe.Checkout.Session> {
  const { tx, publicOrigin } = call;
  const params = readParams(createSchema, call.params);
  const customer = await existingCustomer(tx, params.customer);
  const [item] = params.line_items;
  const price = await sellablePrice(tx, item.price);
  const order = { price, quantity: item.quantity, subscription_data: subscriptionData(tx, params) };
  const redeemed = await redeemedAtOnce(tx, params, order);

  const id = newId("cs_test");
  const session = newCheckoutSession(tx, {
    id,
    url: `${publicOrigin}/sandbox/stripe/checkout/${id}`,
    customer,
    currency: price.currency,
    ...totalsToday(order, redeemed),
    discounts: redeemed.map(({ coupon, promotion_code }) => ({
      coupon: coupon.id,
      promotion_code: promotion_code?.id ?? null,
    })),
    success_url: params.success_url,
    cancel_url: params.cancel_url ?? null,
    client_reference_id: params.client_reference_id ?? null,
    allow_promotion_codes: params.allow_promotion_codes ?? null,
    billing_address_collection: params.billing_address_collection ?? null,
    consent_collection: params.consent_collection
      ? {
          payment_method_reuse_agreement: null,
          promotions: null,
          terms_of_service: params.consent_collection.terms_of_service ?? null,
        }
      : null,
    submit_text: params.custom_text?.submit?.message ?? null,
    locale: params.locale ?? null,
    metadata: mergeMetadata({}, params.metadata),
    payment_method_collection: params.payment_method_collection ?? "always",
    expires_at: expiry(tx, params.expires_at),
  });
  await insertObject(tx, session);
  await addOrder(tx, session, order);
  return session;
}

function subscriptionData(
  tx: Transaction,
  { subscription_data = {} }: Params,
): CheckoutOrder["subscription_data"] {
  const { metadata, description = null, trial_period_days: days, trial_end: end } = subscription_data;
  if (days !== undefined && end !== undefined) {
    throw invalidRequest("You may only specify one of these parameters: trial_period_days, trial_end.");
  }
  if (end !== undefined && end < tx.now + 2 * DAY_SECONDS) {
    const message = "The `trial_end` date has to be at least 2 days in the future.";
    throw invalidRequest(message, { param: "subscription_data[trial_end]" });
  }
  const trial = days !== undefined ? { days } : end !== undefined ? { end } : null;
  return { metadata: mergeMetadata({}, metadata), description, trial };
}

async function redeemedAtOnce(
  tx: Transaction,
  { discounts = [], allow_promotion_codes, customer }: Params,
  { price, quantity }: CheckoutOrder,
): Promise<Redeemable[]> {
  if (discounts.length === 0) return [];
  if (allow_promotion_codes !== undefined) {
    throw invalidRequest("You may only specify one of these parameters: allow_promotion_codes, discounts.");
  }
  const purchase = { customer, amount: (price.unit_amount ?? 0) * quantity, currency: price.currency };
  const redeemed: Redeemable[] = [];
  for (const asked of discounts) redeemed.push(await redeemable(tx, asked, purchase));
  return redeemed;
}

function expiry(tx: Transaction, requested: number | undefined): number {
  if (requested === undefined) return tx.now + DAY_SECONDS;
  if (requested < tx.now + HALF_HOUR_SECONDS) {
    const message = "The `expires_at` timestamp must be at least 30 minutes from Checkout Session creation.";
    throw invalidRequest(message, { param: "expires_at" });
  }
  if (requested > tx.now + DAY_SECONDS) {
    const message = "The `expires_at` timestamp must be less than 24 hours from Checkout Session creation.";
    throw invalidRequest(message, { param: "expires_at" });
  }
  return requested;
}
