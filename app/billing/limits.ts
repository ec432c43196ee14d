import { HOUR, type Limit, MINUTE } from "../limits/limit.ts";

export const BILLING_LIMITS = {
  /** Looks at what became of a payment, each of which asks Stripe; past it the page shows what is known here. */
  paymentLooksByUser: {
    name: "payment_looks_by_user",
    windows: [
      { count: 20, seconds: MINUTE },
      { count: 120, seconds: HOUR },
    ],
  },
  /** Payment pages, each of which asks Stripe. */
  checkoutByUser: { name: "checkout_by_user", windows: [{ count: 20, seconds: MINUTE }] },
} as const satisfies Record<string, Limit>;
