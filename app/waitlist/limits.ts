import { HOUR, type Limit } from "../limits/limit.ts";

export const MOST_INVITED = 10_000;

export const WAITLIST_LIMITS = {
  waitlistByClient: { name: "waitlist_by_client", windows: [{ count: 20, seconds: HOUR }] },
} as const satisfies Record<string, Limit>;

export const INVITE_ANYWAY = "nothing is open";
