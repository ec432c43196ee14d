import { HOUR, type Limit, MINUTE } from "../limits/limit.ts";

export const ACCOUNT_LIMITS = {
  /** Each new name is sent to Stripe. */
  profileByUser: {
    name: "profile_by_user",
    windows: [
      { count: 30, seconds: MINUTE },
      { count: 120, seconds: HOUR },
    ],
  },
  categoriesByUser: {
    name: "categories_by_user",
    windows: [
      { count: 60, seconds: MINUTE },
      { count: 300, seconds: HOUR },
    ],
  },
  /** Each takes a process up to a few seconds. */
  photoByUser: { name: "photo_by_user", windows: [{ count: 10, seconds: 10 * MINUTE }] },
  exportByUser: { name: "export_by_user", windows: [{ count: 10, seconds: 10 * MINUTE }] },
  /** Each asks Stripe several things. */
  deletionByUser: { name: "deletion_by_user", windows: [{ count: 10, seconds: 10 * MINUTE }] },
} as const satisfies Record<string, Limit>;
