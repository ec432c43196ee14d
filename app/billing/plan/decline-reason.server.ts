const CONTACT_BANK =
  "Your bank declined it without saying why. Call the number on your card, or use another card.";
const CHECK_CARD = "The card’s details are no longer right. Update your card and try again.";
const LIMIT = "The card has reached its limit. Use another card, or try again later.";
const NOT_ACCEPTED = "This card can’t be used for this kind of payment. Use another card.";
const TRY_AGAIN = "Your bank couldn’t be reached. We’ll try again, or you can use another card.";

const REASONS = new Map([
  ["insufficient_funds", "There wasn’t enough money on the card."],
  ["expired_card", "The card has expired. Update your card and try again."],
  ["incorrect_number", CHECK_CARD],
  ["invalid_number", CHECK_CARD],
  ["incorrect_cvc", CHECK_CARD],
  ["invalid_cvc", CHECK_CARD],
  ["incorrect_zip", CHECK_CARD],
  ["incorrect_address", CHECK_CARD],
  ["invalid_expiry_month", CHECK_CARD],
  ["invalid_expiry_year", CHECK_CARD],
  ["invalid_account", CHECK_CARD],
  ["new_account_information_available", CHECK_CARD],
  ["card_velocity_exceeded", LIMIT],
  ["withdrawal_count_limit_exceeded", LIMIT],
  ["card_not_supported", NOT_ACCEPTED],
  ["currency_not_supported", NOT_ACCEPTED],
  ["transaction_not_allowed", NOT_ACCEPTED],
  ["issuer_not_available", TRY_AGAIN],
  ["processing_error", TRY_AGAIN],
  ["reenter_transaction", TRY_AGAIN],
  ["try_again_later", TRY_AGAIN],
  ["authentication_required", "Your bank wants you to confirm the payment."],
  ["authentication_not_handled", "Your bank wants you to confirm the payment."],
  ["payment_intent_authentication_failure", "The payment wasn’t confirmed with your bank."],
]);

const CARD_CLOSED = "The card has expired or its account is closed, so the bank sent the money back to us.";

const REFUND_FAILURES = new Map([
  ["expired_or_canceled_card", CARD_CLOSED],
  ["insufficient_funds", "There wasn’t enough money in our Stripe account for it."],
  ["charge_for_pending_refund_disputed", "The payment is disputed at the bank, which decides about it."],
  ["merchant_request", "We stopped it."],
]);

/** Says no more about a lost or stolen card than about others. */
export function refundFailureReason(reason: string | null): string | null {
  return reason === null
    ? null
    : (REFUND_FAILURES.get(reason) ?? "The bank didn’t take it, and sent the money back to us.");
}

/**
 * A sentence for Stripe's decline code (https://docs.stripe.com/declines/codes). Fraud, and lost or stolen cards, get the general
 * sentence, as Stripe requires: the reader may be the thief.
 */
export function declineReason(code: string | null): string | null {
  return code === null ? null : (REASONS.get(code) ?? CONTACT_BANK);
}
