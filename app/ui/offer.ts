import type { Site } from "./site.ts";

/** The same words on every page, mail and legal text. */

export const WAITLIST_OFFER =
  "The waitlist is free: when it’s your turn, we’ll email you a code for a free month.";

export const WAITLIST_NEXT =
  "Free. We’ll email you a link to confirm. When it’s your turn, you’ll get a code for a free month.";

/** For members of the waitlist, who know that it is free. */
export const WAITLIST_CODE = "When it’s your turn, we’ll email you a code for a free month.";

export const ACCOUNT_OFFER = "You only need an account to buy early, redeem a code, or keep your categories.";

const ACCOUNT_OFFER_WITHOUT_PLANS = "You only need an account to redeem a code or keep your categories.";

export function accountOffer(isSelling: boolean): string {
  return isSelling ? ACCOUNT_OFFER : ACCOUNT_OFFER_WITHOUT_PLANS;
}

/** Each payment is refundable in full this long, no matter which features are open. */
export const REFUND_DAYS = 14;

/** A contract (terms.md, Refunds). Pages that know which features are open use `refundTerms`. */
export const REFUND_PROMISE = `Get a full refund any time before your plan’s first feature launches, or within ${REFUND_DAYS} days of any payment.`;

/** Once a feature of the plan is open. */
export const REFUND_PROMISE_ONCE_OPEN = `Get a full refund within ${REFUND_DAYS} days of any payment.`;

/** A subscription keeps its price when a newer one is sold. The terms promise it, too (Plans and prices). */
export const PRICE_PROMISE = "Your price never goes up while you stay subscribed.";

/** After a price, where Stripe adds tax by the customer’s address (STRIPE_TAX). */
export const PLUS_TAX = ", plus tax where it applies";

/** What `giveDays` and the announcement do. The terms promise it, too (Plans and prices). */
export const WAITING_PROMISE =
  "Time before launch is free: when your plan’s first feature opens, we add the days you waited.";

export function replyPromise({ replyDays }: Pick<Site, "replyDays">): string {
  return `We usually reply within ${replyDays} business ${replyDays === 1 ? "day" : "days"}.`;
}
