import { type Html, html } from "../../page/html.ts";
import { cardError } from "../api/errors.ts";
import type { Transaction } from "../transaction.ts";
import { checkedCard } from "./card-number.ts";
import { TEST_CARDS } from "./test-cards.ts";

/** What somebody typed about their card, to be shown to them again. */
export interface TypedCard {
  number: string;
  /** `12 / 34` */
  expiry: string;
  cvc: string;
}

const SUCCEEDING: TypedCard = { number: "4242 4242 4242 4242", expiry: "12 / 34", cvc: "123" };

/** What was typed; the card that succeeds where nothing was. */
export function readCardForm(form: URLSearchParams): TypedCard {
  const read = (name: keyof TypedCard) => (form.get(name) ?? SUCCEEDING[name]).slice(0, 40);
  return { number: grouped(read("number")), expiry: read("expiry"), cvc: read("cvc") };
}

/** @throws Stripe's 402 for what cannot be a card */
export function checkTypedCard(tx: Transaction, { number, expiry, cvc }: TypedCard) {
  const [, month, year] = /^\s*(\d{1,2})\s*\/\s*(\d{2}|\d{4})\s*$/.exec(expiry) ?? [];
  if (!month || !year) {
    throw cardError("Your card's expiration date is incomplete.", "invalid_expiry_month");
  }
  const exp_year = year.length === 2 ? 2000 + Number(year) : Number(year);
  return checkedCard(tx, { number, exp_month: Number(month), exp_year, cvc: cvc.trim() });
}

/** The fields for a card. The browser's own cards are not offered: they are real. */
export function cardFields({ number, expiry, cvc }: TypedCard): Html {
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

/** Each test card and what it does; choosing one loads the page again with its number in the form. */
export function testCards(page: string): Html {
  const special = TEST_CARDS.filter(({ purpose, number }) => purpose !== "succeeds" || /^4242/.test(number));
  return html`
    <details>
      <summary>Test cards</summary>
      <p class="quiet">Choose one to put its number into the form. Other numbers are refused.</p>
      <ul>
        ${special.map(
          ({ number, purpose }) =>
            html`<li><a href="${page}?number=${number}">${grouped(number)}</a> ${purpose}</li>`,
        )}
      </ul>
    </details>`;
}

/** `4242424242424242` → `4242 4242 4242 4242` */
function grouped(number: string): string {
  const digits = number.replaceAll(/\s/g, "");
  return /^\d{12,19}$/.test(digits) ? (digits.match(/.{1,4}/g) ?? []).join(" ") : number;
}

/** The style of the fields, for pages that have them. */
export const FORM_STYLE = html`
fieldset { margin: 0 0 1.25rem; padding: 0; border: 0; min-width: 0; }
legend { padding: 0; font-weight: 650; margin-bottom: 0.35rem; }
label { display: block; margin: 0 0 0.75rem; font-size: 0.9375rem; }
label.check { display: flex; gap: 0.6rem; align-items: start; }
input:not([type=checkbox]), select {
  display: block; width: 100%; min-height: 44px; margin-top: 0.25rem; padding: 0.5rem 0.7rem;
  border: 1px solid var(--rule); border-radius: 4px; background: var(--paper); color: var(--ink); font: inherit;
  font-variant-numeric: tabular-nums;
}
input[type=checkbox] { width: 1.25rem; height: 1.25rem; margin: 0.15rem 0 0; flex: none; }
.pair { display: flex; flex-wrap: wrap; gap: 0 1rem; }
.pair label { flex: 1 1 8rem; }
details { margin: 1.5rem 0 0; }
summary { min-height: 44px; padding: 0.55rem 0; cursor: pointer; }
details ul { margin: 0; padding: 0; list-style: none; }
details li { padding: 0.5rem 0; border-top: 1px solid var(--rule); }
details a { color: inherit; display: inline-block; padding: 0.15rem 0; font-variant-numeric: tabular-nums; white-space: nowrap; }
.notice { margin: 0 0 1.5rem; padding-left: 0.9rem; border-left: 4px solid var(--coral); color: var(--coral); }
.statement div { display: flex; align-items: baseline; gap: 0.5rem; padding: 0.35rem 0; }
.statement div::before { content: ""; order: 1; flex: 1; min-width: 1rem; border-bottom: 2px dotted var(--rule); }
.statement dd { order: 2; text-align: right; font-variant-numeric: tabular-nums; }
.amount { white-space: nowrap; }
.total { font-weight: 650; }
form { margin: 0 0 0.75rem; }
.apart { margin-bottom: 1.75rem; }
.pay { min-height: 52px; border-color: var(--green); background: var(--green); color: var(--on-green); font-weight: 650; }
`;
