import { cardError } from "../api/errors.ts";
import type { Transaction } from "../transaction.ts";
import { findTestCard, type TestCard } from "./test-cards.ts";

interface TypedCard {
  number: string;
  exp_month: number;
  exp_year: number;
  cvc: string;
}

/** A card as it was typed. @throws Stripe's 402 for what cannot be a card */
export function checkedCard(
  tx: Transaction,
  { number, exp_month, exp_year, cvc }: TypedCard,
): { card: TestCard; exp_month: number; exp_year: number; cvc: boolean } {
  const card = findTestCard(number);
  if (!card) throw unknownNumber(number);
  const today = new Date(tx.now * 1000);
  const [year, month] = [today.getUTCFullYear(), today.getUTCMonth() + 1];
  if (exp_month < 1 || exp_month > 12) {
    throw cardError("Your card's expiration month is invalid.", "invalid_expiry_month", {
      param: "exp_month",
    });
  }
  if (exp_year < year || exp_year > year + 50) {
    throw cardError("Your card's expiration year is invalid.", "invalid_expiry_year", { param: "exp_year" });
  }
  if (exp_year === year && exp_month < month) {
    throw cardError("Your card's expiration month is invalid.", "invalid_expiry_month", {
      param: "exp_month",
    });
  }
  if (!/^\d{3,4}$/.test(cvc)) {
    throw cardError("Your card's security code is invalid.", "invalid_cvc", { param: "cvc" });
  }
  return { card, exp_month, exp_year, cvc: true };
}

function unknownNumber(number: string) {
  if (!passesLuhn(number.replaceAll(/[\s-]/g, ""))) {
    return cardError("Your card number is incorrect.", "incorrect_number", { param: "number" });
  }
  const message = "Your card was declined. Your request was in test mode, but used a non test card.";
  return cardError(message, "card_declined", { decline_code: "test_mode_live_card", param: "number" });
}

/** ISO/IEC 7812-1: the check digit of card numbers. */
function passesLuhn(digits: string): boolean {
  if (!/^\d{12,19}$/.test(digits)) return false;
  const sum = Array.from(digits)
    .reverse()
    .reduce((total, digit, at) => {
      const doubled = Number(digit) * (at % 2 === 1 ? 2 : 1);
      return total + (doubled > 9 ? doubled - 9 : doubled);
    }, 0);
  return sum % 10 === 0;
}
