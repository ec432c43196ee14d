import { HOUR, type Limit, MINUTE } from "../limits/limit.ts";

export const BILLING_LIMITS = {
  /** Each asks Stripe; past the limit the page shows what is stored. */
  paymentChecksByUser: {
    name: "payment_looks_by_user",
    windows: [
      { count: 20, seconds: MINUTE },
      { count: 120, seconds: HOUR },
    ],
  },
  checkoutByUser: { name: "checkout_by_user", windows: [{ count: 20, seconds: MINUTE }] },
  /** Canceling, keeping, changing, refunding and withdrawing; each asks Stripe several things. */
  planChangesByUser: {
    name: "plan_changes_by_user",
    windows: [
      { count: 10, seconds: MINUTE },
      { count: 60, seconds: HOUR },
    ],
  },
  changeReviewsByUser: {
    name: "change_reviews_by_user",
    windows: [
      { count: 30, seconds: MINUTE },
      { count: 200, seconds: HOUR },
    ],
  },
  portalByUser: { name: "portal_by_user", windows: [{ count: 10, seconds: MINUTE }] },
} as const satisfies Record<string, Limit>;
