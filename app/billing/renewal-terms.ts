import { formatEnd } from "../ui/format-day.ts";
import { formatMoney, type Price } from "./plans.ts";

/** The terms beside every button that buys or changes a plan, stored when agreed to. A new text needs a new version (plans.test.ts). */
export const RENEWAL_TERMS_VERSION = "2";

type Charged = Pick<Price, "unitAmount" | "currency" | "interval">;

/** The terms of buying a plan now. They name no day, so that they are the same whenever the button is pressed. */
export function purchaseTerms(price: Charged): string {
  const amount = formatMoney(price.unitAmount, price.currency);
  return `You pay ${amount} today, then ${amount} every ${price.interval} on the same day until you cancel. ${cancelling(price)}`;
}

/** The terms of changing at once. @param due in minor units; none or less: nothing is paid. @param timeZone `null`: not known */
export function changeNowTerms(price: Charged, due: number, nextAt: Date, timeZone: string | null): string {
  const today = due > 0 ? `You pay ${formatMoney(due, price.currency)} today` : "You pay nothing today";
  return `${today}, then ${regularly(price)}, next on ${formatEnd(nextAt, timeZone)}, until you cancel. ${cancelling(price)}`;
}

/** The terms of changing to a price when the paid period ends. @param timeZone as above */
export function changeLaterTerms(price: Charged, startsAt: Date, timeZone: string | null): string {
  return `You pay nothing today. From ${formatEnd(startsAt, timeZone)} you pay ${regularly(price)} until you cancel. ${cancelling(price)}`;
}

function regularly({ unitAmount, currency, interval }: Charged): string {
  return `${formatMoney(unitAmount, currency)} every ${interval}`;
}

function cancelling({ interval }: Charged): string {
  return `Cancel any time on your dashboard: you keep the plan until the end of the ${interval} you’ve paid for.`;
}
