import { HOUR, type Limit, MINUTE } from "../limits/limit.ts";

export const BILLING_LIMITS = {
  /** Checks of a payment's state, each a call to Stripe; past the limit the page shows the state known here. */
  paymentChecksByUser: {
    name: "payment_looks_by_user",
    windows: [
      { count: 20, seconds: MINUTE },
      { count: 120, seconds: HOUR },
    ],
  },
  /** Checkout sessions, each a call to Stripe. */
  checkoutByUser: { name: "checkout_by_user", windows: [{ count: 20, seconds: MINUTE }] },
} as const satisfies Record<string, Limit>;
