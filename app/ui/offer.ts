import type { Site } from "./site.ts";

/** What every page, mail and legal text says about the offer, in the same words. */

export const WAITLIST_OFFER =
  "The waitlist is free: we email you when it’s your turn, with a code for a free month.";

/** What happens next, beside the waitlist's button. */
export const WAITLIST_NEXT =
  "Free. We email you a link to confirm now, and a code for a free month when it’s your turn.";

/** For members of the waitlist, who know that it is free. */
export const WAITLIST_CODE = "When it’s your turn, we’ll email you a code for a free month.";

export const ACCOUNT_OFFER = "An account is for buying early or using a code.";

/** The same while no plan is on sale. */
const ACCOUNT_OFFER_WITHOUT_PLANS = "An account is for using a code.";

export function accountOffer(isSelling: boolean): string {
  return isSelling ? ACCOUNT_OFFER : ACCOUNT_OFFER_WITHOUT_PLANS;
}

/**
 * The terms promise this (terms.md, Refunds), so a change here changes a contract. Pages that know which features are open
 * say what remains of it: see `refundTerms`.
 */
export const REFUND_PROMISE =
  "Full refund any time until the first feature of your plan opens, and for 14 days after any payment.";

/** What remains of the promise once a feature of the plan is open. */
export const REFUND_PROMISE_ONCE_OPEN = "Full refund for 14 days after any payment.";

/** How soon support answers, as a sentence. */
export function replyPromise({ replyDays }: Pick<Site, "replyDays">): string {
  return `We usually reply within ${replyDays} business ${replyDays === 1 ? "day" : "days"}.`;
}

/** Which countries and which currency. @param isNothingOpen whether all features are still being built */
export function whereItWorks(
  { currency, bankCountries }: Pick<Site, "currency" | "bankCountries">,
  isNothingOpen: boolean,
): string {
  return (
    `You can sign up from any country. Prices are in ${currency}, and if your card is in another currency, your bank converts the amount. ` +
    (isNothingOpen
      ? `CSV Processing will take statements in any currency. The Banking API will start with banks in ${bankCountries}. There’s no date for either yet.`
      : `CSV Processing takes statements in any currency. The Banking API starts with banks in ${bankCountries}.`)
  );
}
