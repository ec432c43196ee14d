import { HOUR, type Limit, MINUTE, per } from "../limits/limit.ts";

export const ACCOUNT_LIMITS = {
  /** Each new name is sent to Stripe. */
  profileByUser: { name: "profile_by_user", windows: [per(30, MINUTE), per(120, HOUR)] },
  categoriesByUser: { name: "categories_by_user", windows: [per(60, MINUTE), per(300, HOUR)] },
  /** Each takes a process up to a few seconds. */
  photoByUser: { name: "photo_by_user", windows: [per(10, 10 * MINUTE)] },
  exportByUser: { name: "export_by_user", windows: [per(10, 10 * MINUTE)] },
  /** Each asks Stripe several things. */
  deletionByUser: { name: "deletion_by_user", windows: [per(10, 10 * MINUTE)] },
} as const satisfies Record<string, Limit>;
