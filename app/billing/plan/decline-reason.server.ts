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

/**
 * A sentence for Stripe's decline code (https://docs.stripe.com/declines/codes); `null` without one. Fraud, and lost or
 * stolen cards, get the general sentence, as Stripe requires: the reader may be the thief.
 */
export function declineReason(code: string | null): string | null {
  return code === null ? null : (REASONS.get(code) ?? CONTACT_BANK);
}
