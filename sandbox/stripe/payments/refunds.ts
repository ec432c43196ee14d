import type Stripe from "stripe";
import { z } from "zod";
import { invalidRequest, resourceMissing } from "../api/errors.ts";
import { type ApiCall, integerBetween, mergeMetadata, metadata, readParams, text } from "../api/params.ts";
import { controlOf, objectId } from "../control.ts";
import { addObject, recordEvent, replaceWithEvent, saveChanges } from "../events.ts";
import { formatAmount } from "../format.ts";
import { findAll, findObject, findOr404, lockObject, lockOr404, newId, stripeObject } from "../store.ts";
import { enterTimeOf, type Transaction } from "../transaction.ts";
import { testCardOf } from "./cards.ts";

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
  await assertRefundable(tx, charge, amount, left);
  const refund = stripeObject<Stripe.Refund>({
    id: newId("re"),
    object: "refund",
    amount,
    charge: charge.id,
    created: tx.now,
    currency: charge.currency,
    metadata: mergeMetadata({}, fields.metadata),
    payment_intent: charge.payment_intent,
    reason: fields.reason ?? null,
    status: "succeeded",
  });
  await addObject(tx, "refund.created", refund);
  const refunded = { amount_refunded: charge.amount_refunded + amount, refunded: amount === left };
  await saveChanges(tx, "charge.refunded", charge, { ...charge, ...refunded });
  const card = await findOr404(tx, "payment_method", String(charge.payment_method));
  // This answer still says that it succeeded; the next request sees the failure.
  if (testCardOf(card).failsRefunds) await failRefund(tx, refund, "expired_or_canceled_card");
  return refund;
}

/** The bank has sent the money back to the seller: https://docs.stripe.com/refunds#failed-refunds */
async function failRefund(tx: Transaction, refund: Stripe.Refund, failure_reason: string) {
  const failed: Stripe.Refund = { ...refund, status: "failed", failure_reason };
  await replaceWithEvent(tx, "charge.refund.updated", failed);
  await recordEvent(tx, "refund.updated", failed);
  await recordEvent(tx, "refund.failed", failed);
  const charge = await lockOr404(tx, "charge", String(refund.charge));
  const amount_refunded = charge.amount_refunded - refund.amount;
  await saveChanges(tx, "charge.updated", charge, { ...charge, amount_refunded, refunded: false });
  return failed;
}

const failing = z.strictObject({
  refund: objectId,
  failure_reason: z
    .enum(["expired_or_canceled_card", "lost_or_stolen_card", "unknown"])
    .default("expired_or_canceled_card"),
});

export const handleRefundControl = controlOf(failing, async (tx, { refund: id, failure_reason }) => {
  const { charge } = await findOr404(tx, "refund", id);
  await enterTimeOf(tx, [String(charge)], { lock: true });
  const refund = await lockOr404(tx, "refund", id);
  if (refund.status === "succeeded") return failRefund(tx, refund, failure_reason);
  throw invalidRequest("Only a refund that succeeded can fail.");
});

/** https://docs.stripe.com/api/refunds/update */
export async function updateRefund({ tx, params, id }: ApiCall): Promise<Stripe.Refund> {
  const { metadata: changes } = readParams(z.strictObject({ metadata }), params);
  const before = await lockOr404(tx, "refund", id);
  const after = { ...before, metadata: mergeMetadata(before.metadata ?? {}, changes) };
  return saveChanges(tx, "refund.updated", before, after);
}

async function chargeToRefund(tx: Transaction, { payment_intent, charge }: z.output<typeof createSchema>) {
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
  if (intent.status === "succeeded") return lockOr404(tx, "charge", String(intent.latest_charge));
  const message = `This PaymentIntent (${payment_intent}) does not have a successful charge to refund.`;
  throw invalidRequest(message, { param: "payment_intent" });
}

async function assertRefundable(tx: Transaction, charge: Stripe.Charge, amount: number, left: number) {
  if (!charge.paid)
    throw invalidRequest(`Charge ${charge.id} was not paid, and cannot be refunded.`, { param: "charge" });
  const [dispute] = await findAll(tx, "dispute", { charge: charge.id });
  if (dispute && !dispute.is_charge_refundable) {
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
