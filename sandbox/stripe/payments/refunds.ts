import type Stripe from "stripe";
import { z } from "zod";
import { invalidRequest, resourceMissing } from "../api/errors.ts";
import { type ApiCall, integerBetween, mergeMetadata, metadata, readParams, text } from "../api/params.ts";
import { formatAmount } from "../format.ts";
import { previousAttributes, recordEvent } from "../objects/events.ts";
import {
  findObject,
  findOr404,
  insertObject,
  listObjects,
  lockObject,
  lockOr404,
  newId,
  pageParams,
  replaceObject,
} from "../store.ts";
import type { Transaction } from "../transaction.ts";

const createSchema = z.strictObject({
  payment_intent: text.optional(),
  charge: text.optional(),
  amount: integerBetween(1, 99_999_999).optional(),
  reason: z.enum(["duplicate", "fraudulent", "requested_by_customer"]).optional(),
  metadata,
});

/** Gives back all that is left of a payment, or `amount` of it. https://docs.stripe.com/api/refunds/create */
export async function createRefund({ tx, params }: ApiCall): Promise<Stripe.Refund> {
  const fields = readParams(createSchema, params);
  const charge = await chargeToRefund(tx, fields);
  const left = charge.amount - charge.amount_refunded;
  const { amount = left } = fields;
  const [dispute] = (
    await listObjects(tx, "dispute", "/v1/disputes", { limit: 1, having: { charge: charge.id } })
  ).data;
  assertRefundable(charge, amount, left, dispute?.is_charge_refundable ?? true);

  const refund = newRefund(tx, charge, amount, fields);
  await insertObject(tx, refund);
  await recordEvent(tx, { type: "refund.created", data: { object: refund } });
  const refunded: Stripe.Charge = {
    ...charge,
    amount_refunded: charge.amount_refunded + amount,
    refunded: amount === left,
  };
  await replaceObject(tx, refunded);
  const previous_attributes = previousAttributes(charge, refunded);
  await recordEvent(tx, { type: "charge.refunded", data: { object: refunded, previous_attributes } });
  return reference(tx, refund);
}

async function chargeToRefund(
  tx: Transaction,
  { payment_intent, charge }: { payment_intent?: string | undefined; charge?: string | undefined },
): Promise<Stripe.Charge> {
  if (charge) {
    const found = await lockObject(tx, "charge", charge);
    if (!found) throw resourceMissing("charge", charge, "charge");
    return found;
  }
  if (!payment_intent) {
    throw invalidRequest(
      "One of the following params should be provided for this request: payment_intent or charge.",
    );
  }
  const intent = await findObject(tx, "payment_intent", payment_intent);
  if (!intent) throw resourceMissing("payment_intent", payment_intent, "payment_intent");
  if (intent.status !== "succeeded") {
    const message = `This PaymentIntent (${payment_intent}) does not have a successful charge to refund.`;
    throw invalidRequest(message, { param: "payment_intent" });
  }
  return lockOr404(tx, "charge", String(intent.latest_charge));
}

function assertRefundable(charge: Stripe.Charge, amount: number, left: number, isAllowed: boolean): void {
  if (!charge.paid) {
    throw invalidRequest(`Charge ${charge.id} was not paid, and cannot be refunded.`, { param: "charge" });
  }
  if (!isAllowed) {
    const message = `Charge ${charge.id} has been charged back; cannot issue a refund.`;
    throw invalidRequest(message, { code: "charge_disputed" });
  }
  if (left === 0) {
    const message = `Charge ${charge.id} has already been refunded.`;
    throw invalidRequest(message, { code: "charge_already_refunded" });
  }
  if (amount > left) {
    const [asked, most] = [amount, left].map((each) => formatAmount(each, charge.currency));
    const message = `Refund amount (${asked}) is greater than unrefunded amount on charge (${most})`;
    throw invalidRequest(message, { param: "amount" });
  }
}

function newRefund(
  tx: Transaction,
  charge: Stripe.Charge,
  amount: number,
  { reason, metadata }: z.output<typeof createSchema>,
): Stripe.Refund {
  return {
    id: newId("re"),
    object: "refund",
    amount,
    balance_transaction: null,
    charge: charge.id,
    created: tx.now,
    currency: charge.currency,
    customer: charge.customer,
    customer_account: null,
    destination_details: { card: { reference_status: "pending", type: "refund" }, type: "card" },
    metadata: mergeMetadata({}, metadata),
    payment_intent: charge.payment_intent,
    payment_method: charge.payment_method,
    reason: reason ?? null,
    receipt_number: null,
    source_transfer_reversal: null,
    status: "succeeded",
    transfer_reversal: null,
  };
}

/** Later the bank says by which number it can be asked about the refund. */
async function reference(tx: Transaction, refund: Stripe.Refund): Promise<Stripe.Refund> {
  const known: Stripe.Refund = {
    ...refund,
    destination_details: {
      card: {
        reference: refund.id.slice(-12).toUpperCase(),
        reference_status: "available",
        reference_type: "acquirer_reference_number",
        type: "refund",
      },
      type: "card",
    },
  };
  await replaceObject(tx, known);
  const data = { object: known, previous_attributes: previousAttributes(refund, known) };
  await recordEvent(tx, { type: "refund.updated", data });
  return known;
}

export async function retrieveRefund({ tx, id }: ApiCall): Promise<Stripe.Refund> {
  return findOr404(tx, "refund", id);
}

const listSchema = z.strictObject({
  ...pageParams,
  charge: text.optional(),
  payment_intent: text.optional(),
});

export async function listRefunds({ tx, params }: ApiCall) {
  const { charge, payment_intent, ...range } = readParams(listSchema, params);
  return listObjects(tx, "refund", "/v1/refunds", { ...range, having: { charge, payment_intent } });
}
