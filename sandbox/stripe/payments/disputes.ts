import type Stripe from "stripe";
import { z } from "zod";
import { invalidRequest } from "../api/errors.ts";
import { controlOf, objectId } from "../control.ts";
import { addObject, recordEvent, replaceWithEvent } from "../events.ts";
import { lockOr404, newId, replaceObject, stripeObject } from "../store.ts";
import { enterTimeOf, type Transaction } from "../transaction.ts";

const asked = z.union([
  z.strictObject({ charge: objectId, inquiry: z.boolean().default(false) }),
  z.strictObject({ dispute: objectId, status: z.enum(["won", "lost", "warning_closed"]) }),
]);

export const handleDisputeControl = controlOf(asked, async (tx, data) => {
  if ("dispute" in data) return decideDispute(tx, data.dispute, data.status);
  await enterTimeOf(tx, [data.charge], { lock: true });
  const charge = await lockOr404(tx, "charge", data.charge);
  if (charge.paid && !charge.disputed) return openDispute(tx, charge, data.inquiry);
  throw invalidRequest("Only a charge that was paid, and not disputed before, can be disputed.");
});

/**
 * The cardholder disputes a payment at their bank, which takes the money back until it is decided.
 *
 * @param isInquiry the bank asks first, and takes nothing (https://docs.stripe.com/disputes/how-disputes-work#inquiries)
 */
export async function openDispute(tx: Transaction, charge: Stripe.Charge, isInquiry = false) {
  await replaceObject(tx, { ...charge, disputed: true });
  const dispute = stripeObject<Stripe.Dispute>({
    id: newId("du"),
    object: "dispute",
    amount: charge.amount - charge.amount_refunded,
    charge: charge.id,
    created: tx.now,
    currency: charge.currency,
    is_charge_refundable: isInquiry,
    metadata: {},
    payment_intent: charge.payment_intent,
    reason: "fraudulent",
    status: isInquiry ? "warning_needs_response" : "needs_response",
  });
  await addObject(tx, "charge.dispute.created", dispute);
  if (!isInquiry) await recordEvent(tx, "charge.dispute.funds_withdrawn", dispute);
  return dispute;
}

/** Ends a dispute that is open. A lost one keeps the money with the cardholder. */
async function decideDispute(tx: Transaction, id: string, status: "won" | "lost" | "warning_closed") {
  const dispute = await lockOr404(tx, "dispute", id);
  if (["won", "lost", "warning_closed"].includes(dispute.status))
    throw invalidRequest("This dispute is already closed");
  const decided: Stripe.Dispute = { ...dispute, status, is_charge_refundable: status !== "lost" };
  await replaceWithEvent(tx, "charge.dispute.closed", decided);
  if (status === "won") await recordEvent(tx, "charge.dispute.funds_reinstated", decided);
  return decided;
}
