import { type Html, html } from "../../web.ts";
import { cardError } from "../api/errors.ts";
import { findTestCard, TEST_CARDS, type TestCard } from "../payments/test-cards.ts";
import type { Transaction } from "../transaction.ts";

const SUCCEEDING = { number: "4242 4242 4242 4242", expiry: "12 / 34", cvc: "123" };

function typedCard(form: URLSearchParams): typeof SUCCEEDING {
  const read = (name: keyof typeof SUCCEEDING) => (form.get(name) ?? SUCCEEDING[name]).slice(0, 40);
  return { number: grouped(read("number")), expiry: read("expiry"), cvc: read("cvc") };
}

/** The card that was typed. @throws Stripe's 402 for what cannot be one */
export function readCard(
  tx: Transaction,
  form: URLSearchParams,
): { card: TestCard; exp_month: number; exp_year: number } {
  const { number, expiry, cvc } = typedCard(form);
  const card = findTestCard(number);
  if (!card) throw cardError("Your card number is incorrect.", "incorrect_number");
  const [, month, year] = /^\s*(\d{1,2})\s*\/\s*(?:20)?(\d{2})\s*$/.exec(expiry) ?? [];
  const [exp_month, exp_year] = [Number(month), 2000 + Number(year)];
  if (!month || !(exp_month >= 1 && exp_month <= 12))
    throw cardError("Your card's expiration date is incomplete.", "invalid_expiry_month");
  if (Date.UTC(exp_year, exp_month) / 1000 <= tx.now)
    throw cardError("Your card's expiration year is invalid.", "invalid_expiry_year");
  if (!/^\d{3,4}$/.test(cvc.trim())) throw cardError("Your card's security code is invalid.", "invalid_cvc");
  return { card, exp_month, exp_year };
}

/** The fields for a card. The browser's own cards are not offered: they are real. */
export function cardFields(form: URLSearchParams): Html {
  const { number, expiry, cvc } = typedCard(form);
  return html`
    <fieldset>
      <legend>Card</legend>
      <label>Card number
        <input name="number" value="${number}" inputmode="numeric" autocomplete="off" maxlength="40" required>
      </label>
      <div class="pair">
        <label>Expires (MM / YY)
          <input name="expiry" value="${expiry}" autocomplete="off" maxlength="10" required>
        </label>
        <label>Security code
          <input name="cvc" value="${cvc}" inputmode="numeric" autocomplete="off" maxlength="4" required>
        </label>
      </div>
    </fieldset>`;
}

/** Each test card and its effect; choosing one reloads the page with its number in the form. */
export function testCards(address: string): Html {
  return html`
    <details>
      <summary>Test cards</summary>
      <p class="quiet">Choose one to put its number into the form. Other numbers are refused.</p>
      <ul>
        ${TEST_CARDS.map(
          ({ number, purpose }) =>
            html`<li><a href="${address}?number=${number}">${grouped(number)}</a> ${purpose}</li>`,
        )}
      </ul>
    </details>`;
}

/** `4242424242424242` → `4242 4242 4242 4242` */
function grouped(number: string): string {
  const digits = number.replaceAll(/\s/g, "");
  return /^\d{12,19}$/.test(digits) ? (digits.match(/.{1,4}/g) ?? []).join(" ") : number;
}
