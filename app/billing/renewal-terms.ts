import { formatMoney, includingTax, type Price } from "./plans.ts";

/** Shown beside every button that buys or changes a plan, stored when agreed to. A new text needs a new version (plans.test.ts). */
export const RENEWAL_TERMS_VERSION = "5";

type Charged = Pick<Price, "unitAmount" | "currency" | "interval">;

/** The same for every price, so that a page with several says it once. */
export const CANCEL_TERMS =
  "Cancel any time on your dashboard: you keep the plan until the end of the period you’ve paid for.";

/** The page shows both parts. @param plusTax the site's, or empty */
export function purchaseTerms(price: Charged, plusTax: string): string {
  return `${chargeTerms(price, plusTax)} ${CANCEL_TERMS}`;
}

/** Without a day, so that they are the same whenever the button is pressed. */
export function chargeTerms(price: Charged, plusTax: string): string {
  const amount = formatMoney(price.unitAmount, price.currency);
  return `You pay ${amount} today, then ${amount} every ${price.interval} on the same day until you cancel${plusTax}.`;
}

/** In minor units, tax included: nothing is paid if it is 0 or less. */
interface Due {
  due: number;
  tax: number;
}

/** @param nextOn the day of the next payment, in words */
export function changeNowTerms(price: Charged, { due, tax }: Due, nextOn: string, plusTax: string): string {
  const { currency } = price;
  const including = tax > 0 ? `${includingTax(tax, currency)},` : "";
  const today = due > 0 ? `You pay ${formatMoney(due, currency)}${including} today` : "You pay nothing today";
  return `${today}. ${fromThen(price, nextOn, plusTax)}`;
}

export function changeLaterTerms(price: Charged, startsOn: string, plusTax: string): string {
  return `You pay nothing today. ${fromThen(price, startsOn, plusTax)}`;
}

function fromThen(price: Charged, day: string, plusTax: string): string {
  return `From ${day}, you pay ${regularly(price)}${plusTax && `${plusTax},`} until you cancel. ${CANCEL_TERMS}`;
}

function regularly({ unitAmount, currency, interval }: Charged): string {
  return `${formatMoney(unitAmount, currency)} every ${interval}`;
}
