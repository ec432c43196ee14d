import type Stripe from "stripe";
import { z } from "zod";
import { invalidRequest, notInSandbox, resourceMissing } from "../api/errors.ts";
import { type ApiCall, mergeMetadata, metadata, readParams, single, text, url } from "../api/params.ts";
import { existingCustomer } from "../customers.ts";
import { replaceWithEvent } from "../events.ts";
import { findAll, findObject, insertObject, lockOr404, newId, stripeObject } from "../store.ts";
import { type RecurringPrice, recurringPrice } from "../subscriptions/items.ts";
import { DAY_SECONDS } from "../subscriptions/periods.ts";
import { assertTaxIsActive, automaticTaxParam, isTaxable, taxOn } from "../tax.ts";
import type { Transaction } from "../transaction.ts";

/** Text of the seller's on Stripe's page: https://docs.stripe.com/api/checkout/sessions/create */
const customText = text.max(1200, { error: "Invalid string: must be at most 1200 characters" });

const customerUpdate = z.enum(["auto", "never"]);

const createSchema = z.strictObject({
  mode: z.enum(["subscription"]),
  customer: text,
  line_items: single(
    z.strictObject({ price: text, quantity: z.literal("1", { error: "The sandbox sells one of each." }) }),
  ),
  success_url: url,
  cancel_url: url.optional(),
  client_reference_id: text.optional(),
  metadata,
  automatic_tax: automaticTaxParam,
  billing_address_collection: z.enum(["auto", "required"]).optional(),
  customer_update: z
    .strictObject({ address: customerUpdate.optional(), name: customerUpdate.optional() })
    .optional(),
  subscription_data: z.strictObject({ metadata }).optional(),
  custom_text: z.strictObject({ submit: z.strictObject({ message: customText }) }).optional(),
});

export async function createCheckoutSession(call: ApiCall): Promise<Stripe.Checkout.Session> {
  const { tx } = call;
  const params = readParams(createSchema, call.params);
  const customer = await existingCustomer(tx, params.customer);
  const price = await sellablePrice(tx, params.line_items[0].price);
  const isTaxed = params.automatic_tax?.enabled ?? false;
  if (isTaxed) await assertMayCollectTax(tx, params, customer);
  const id = newId("cs_test");
  const session = stripeObject<Stripe.Checkout.Session>({
    id,
    object: "checkout.session",
    ...amountsOf(price.unit_amount ?? 0, isTaxed, customer.address),
    billing_address_collection: params.billing_address_collection ?? null,
    cancel_url: params.cancel_url ?? null,
    client_reference_id: params.client_reference_id ?? null,
    created: tx.now,
    currency: price.currency,
    custom_text: { submit: params.custom_text?.submit ?? null },
    customer: customer.id,
    customer_details: { email: customer.email, name: customer.name ?? null },
    expires_at: tx.now + DAY_SECONDS,
    invoice: null,
    metadata: mergeMetadata({}, params.metadata),
    mode: "subscription",
    status: "open",
    subscription: null,
    success_url: params.success_url,
    url: `${tx.publicOrigin}/sandbox/stripe/checkout/${id}`,
  });
  await insertObject(tx, session);
  await tx.client.query(
    "INSERT INTO sandbox_stripe.checkout_orders (session, price, metadata) VALUES ($1, $2, $3)",
    [id, price.id, JSON.stringify(mergeMetadata({}, params.subscription_data?.metadata))],
  );
  return session;
}

/** What a session costs at an address, of which only a taxed one needs to know. All in minor units. */
export function amountsOf(subtotal: number, isTaxed: boolean, address: Stripe.Address | null | undefined) {
  const tax = isTaxed ? taxOn(subtotal, address) : 0;
  const status = isTaxable(address) ? ("complete" as const) : ("requires_location_inputs" as const);
  return {
    amount_subtotal: subtotal,
    amount_total: subtotal + tax,
    automatic_tax: {
      enabled: isTaxed,
      liability: isTaxed ? { type: "self" as const } : null,
      provider: isTaxed ? "stripe" : null,
      status: isTaxed ? status : null,
    },
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: tax },
  };
}

/** https://docs.stripe.com/tax/checkout: of a customer who exists the address is needed, or may be saved from the page. */
async function assertMayCollectTax(
  tx: Transaction,
  { customer_update, billing_address_collection }: z.output<typeof createSchema>,
  { address }: Stripe.Customer,
): Promise<void> {
  await assertTaxIsActive(tx);
  const isSaved = customer_update?.address === "auto";
  if (isSaved && billing_address_collection !== "required")
    throw notInSandbox("customer_update[address] without billing_address_collection=required");
  if (isSaved || isTaxable(address)) return;
  const message =
    "Automatic tax calculation in Checkout requires a valid address on the Customer. Add a valid address to the Customer or set either `customer_update[address]` to 'auto' or `customer_update[shipping]` to 'auto' to save the address entered in Checkout to the Customer.";
  throw invalidRequest(message, { code: "customer_tax_location_invalid" });
}

/** The price, if it can be sold as a subscription. @throws Stripe's 400 if not */
async function sellablePrice(tx: Transaction, id: string): Promise<RecurringPrice> {
  const param = "line_items[0][price]";
  const price = await recurringPrice(tx, id, param);
  if ((await productOf(tx, price)).active) return price;
  const message = `Price \`${id}\` is not available to be purchased because its product is not active.`;
  throw invalidRequest(message, { param });
}

export async function productOf(tx: Transaction, price: Stripe.Price): Promise<Stripe.Product> {
  const product = await findObject(tx, "product", String(price.product));
  if (!product) throw resourceMissing("product", String(price.product), "product");
  return product;
}

/** What a checkout session sells, and the terms of its subscription. */
interface CheckoutOrder {
  price: RecurringPrice;
  metadata: Stripe.Metadata;
}

export async function orderOf(tx: Transaction, session: Stripe.Checkout.Session): Promise<CheckoutOrder> {
  const { rows } = await tx.client.query<CheckoutOrder>(
    `SELECT objects.object AS price, metadata
     FROM sandbox_stripe.checkout_orders JOIN sandbox_stripe.objects ON objects.id = checkout_orders.price
     WHERE session = $1`,
    [session.id],
  );
  if (!rows[0]) throw new Error(`Checkout session ${session.id} has no order`);
  return rows[0];
}

/** Only open sessions can expire: https://docs.stripe.com/api/checkout/sessions/expire */
export async function expireCheckoutSession({ tx, id }: ApiCall): Promise<Stripe.Checkout.Session> {
  const session = await lockOr404(tx, "checkout.session", id);
  if (session.status === "open") return expireSession(tx, session);
  const rule = 'Only Checkout Sessions with a status in ["open"] can be expired.';
  throw invalidRequest(`${rule} This Checkout Session has a status of \`${session.status}\`.`);
}

/** Sessions do not expire by themselves: call this before reading any. A customer on a test clock has its time. */
export async function expireOverdueSessions(tx: Transaction): Promise<void> {
  const timeOfCustomer = `(
    SELECT (clock.object->>'frozen_time')::float8
    FROM sandbox_stripe.objects AS customer
    JOIN sandbox_stripe.objects AS clock ON clock.id = customer.object->>'test_clock'
    WHERE customer.id = objects.object->>'customer')`;
  const { rows } = await tx.client.query<{ object: Stripe.Checkout.Session }>(
    `SELECT object FROM sandbox_stripe.objects
     WHERE kind = 'checkout.session' AND object->>'status' = 'open'
       AND (object->>'expires_at')::float8 <= coalesce(${timeOfCustomer}, extract(epoch FROM now()))
     ORDER BY id FOR UPDATE`,
  );
  for (const { object } of rows) await expireSession(tx, object);
}

/** For a customer being deleted: a later payment would start a subscription without an owner. */
export async function expireSessionsOf(tx: Transaction, customer: string): Promise<void> {
  for (const { id } of await findAll(tx, "checkout.session", { customer, status: "open" })) {
    const session = await lockOr404(tx, "checkout.session", id);
    if (session.status === "open") await expireSession(tx, session);
  }
}

function expireSession(tx: Transaction, open: Stripe.Checkout.Session): Promise<Stripe.Checkout.Session> {
  return replaceWithEvent(tx, "checkout.session.expired", { ...open, status: "expired", url: null });
}
