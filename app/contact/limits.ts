import { DAY, type Limit, MINUTE, per } from "../limits/limit.ts";

export const CONTACT_LIMITS = {
  contactByClient: { name: "contact_by_client", windows: [per(5, 10 * MINUTE), per(20, DAY)] },
} as const satisfies Record<string, Limit>;
