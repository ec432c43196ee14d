import { DAY, type Limit, MINUTE } from "../limits/limit.ts";

export const CONTACT_LIMITS = {
  contactByClient: {
    name: "contact_by_client",
    windows: [
      { count: 5, seconds: 10 * MINUTE },
      { count: 20, seconds: DAY },
    ],
  },
} as const satisfies Record<string, Limit>;
