import { formatMoney, includingTax, type Price } from "./plans.ts";

/** Shown beside every button that buys or changes a plan, stored when agreed to. A new text needs a new version (plans.test.ts). */
export const RENEWAL_TERMS_VERSION = "3";

type Charged = Pick<Price, "unitAmount" | "currency" | "interval">;

/** Without a day, so that they are the same whenever the button is pressed. @param plusTax the site's, or empty */
export function purchaseTerms(price: Charged, plusTax: string): string {
  const amount = formatMoney(price.unitAmount, price.currency);
  return `You pay ${amount} today, then ${amount} every ${price.interval} on the same day until you cancel${plusTax}. ${cancelling(price)}`;
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
  return `${today}, then ${regularly(price)}${plusTax}, next on ${nextOn}, until you cancel. ${cancelling(price)}`;
}

export function changeLaterTerms(price: Charged, startsOn: string, plusTax: string): string {
  return `You pay nothing today. From ${startsOn}, you pay ${regularly(price)}${plusTax && `${plusTax},`} until you cancel. ${cancelling(price)}`;
}

function regularly({ unitAmount, currency, interval }: Charged): string {
  return `${formatMoney(unitAmount, currency)} every ${interval}`;
}

function cancelling({ interval }: Charged): string {
  return `Cancel any time on your dashboard: you keep the plan until the end of the ${interval} you’ve paid for.`;
}
