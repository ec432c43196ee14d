import type Stripe from "stripe";
import { customerOnClock, DAY, START } from "../clocks/clock.fixture.ts";

/** The first period is January 31 to February 28: 28 days. */
export const HALF = START + 14 * DAY;

/** A subscription that has run for half of its first period. */
export async function halfway(stripe: Stripe, price: string) {
  const on = await customerOnClock(stripe);
  const { id, items } = await on.subscribe(price);
  await on.advance(HALF);
  return { ...on, id, item: String(items.data[0]?.id) };
}

export function linesOf({ lines }: Stripe.Invoice) {
  return lines.data.map(({ amount, description }) => [amount, description]);
}
