import { HOUR, type Limit, MINUTE } from "../limits/limit.ts";

export const PROMO_LIMITS = {
  /** Wrong codes, against guessing. */
  promoByUser: {
    name: "promo_by_user",
    windows: [
      { count: 10, seconds: MINUTE },
      { count: 60, seconds: HOUR },
    ],
    countsOnlyFailures: true,
  },
  /** Against guessing with many accounts. */
  promoByClient: {
    name: "promo_by_client",
    windows: [
      { count: 30, seconds: 10 * MINUTE },
      { count: 120, seconds: HOUR },
    ],
    countsOnlyFailures: true,
  },
} as const satisfies Record<string, Limit>;
