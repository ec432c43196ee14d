import type Stripe from "stripe";
import { recordEvent } from "../objects/events.ts";
import { insertObject, newId, replaceObject } from "../store.ts";
import type { Transaction } from "../transaction.ts";

const WEEK_SECONDS = 7 * 24 * 60 * 60;

/** The cardholder disputes a payment at their bank, which takes the money back until it is decided. */
export async function openDispute(
  tx: Transaction,
  charge: Stripe.Charge,
  reason: string,
  isInquiry = false,
): Promise<Stripe.Dispute> {
  const disputed: Stripe.Charge = { ...charge, disputed: true };
  await replaceObject(tx, disputed);
  const dispute: Stripe.Dispute = {
    ...newDispute(tx, charge, reason),
    // The bank asks first, and takes nothing (https://docs.stripe.com/disputes/how-disputes-work#inquiries).
    ...(isInquiry && { status: "warning_needs_response", is_charge_refundable: true }),
  };
  await insertObject(tx, dispute);
  await recordEvent(tx, { type: "charge.dispute.created", data: { object: dispute } });
  if (!isInquiry)
    await recordEvent(tx, { type: "charge.dispute.funds_withdrawn", data: { object: dispute } });
  return dispute;
}

type Verdict = "won" | "lost" | "warning_closed";

/** Ends a dispute that is open. A lost one keeps the money with the cardholder. */
export async function decideDispute(
  tx: Transaction,
  dispute: Stripe.Dispute,
  status: Verdict,
): Promise<Stripe.Dispute> {
  const decided: Stripe.Dispute = { ...dispute, status, is_charge_refundable: status !== "lost" };
  await replaceObject(tx, decided);
  await recordEvent(tx, { type: "charge.dispute.closed", data: { object: decided } });
  if (status === "won") {
    await recordEvent(tx, { type: "charge.dispute.funds_reinstated", data: { object: decided } });
  }
  return decided;
}

function newDispute(tx: Transaction, charge: Stripe.Charge, reason: string): Stripe.Dispute {
  return {
    id: newId("du"),
    object: "dispute",
    amount: charge.amount - charge.amount_refunded,
    balance_transactions: [],
    charge: charge.id,
    created: tx.now,
    currency: charge.currency,
    enhanced_eligibility_types: [],
    evidence: {
      access_activity_log: null,
      billing_address: null,
      cancellation_policy: null,
      cancellation_policy_disclosure: null,
      cancellation_rebuttal: null,
      customer_communication: null,
      customer_email_address: charge.billing_details.email,
      customer_name: charge.billing_details.name,
      customer_purchase_ip: null,
      customer_signature: null,
      duplicate_charge_documentation: null,
      duplicate_charge_explanation: null,
      duplicate_charge_id: null,
      enhanced_evidence: {},
      product_description: null,
      receipt: null,
      refund_policy: null,
      refund_policy_disclosure: null,
      refund_refusal_explanation: null,
      service_date: null,
      service_documentation: null,
      shipping_address: null,
      shipping_carrier: null,
      shipping_date: null,
      shipping_documentation: null,
      shipping_tracking_number: null,
      uncategorized_file: null,
      uncategorized_text: null,
    },
    evidence_details: {
      due_by: tx.now + WEEK_SECONDS,
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
      submission_method: "not_submitted",
    },
    intended_submission_method: null,
    is_charge_refundable: false,
    livemode: false,
    metadata: {},
    payment_intent: charge.payment_intent,
    payment_method_details: {
      card: {
        brand: charge.payment_method_details?.card?.brand ?? "visa",
        case_type: "chargeback",
        network: charge.payment_method_details?.card?.network ?? "visa",
        network_reason_code: "10.4",
      },
      type: "card",
    },
    reason,
    status: "needs_response",
  };
}
