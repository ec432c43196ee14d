import { type Limit, MINUTE } from "../limits/limit.ts";

export const TOKEN_LIMITS = {
  tokenByUser: { name: "token_by_user", windows: [{ count: 60, seconds: MINUTE }] },
} as const satisfies Record<string, Limit>;
