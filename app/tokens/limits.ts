import { type Limit, MINUTE, per } from "../limits/limit.ts";

export const TOKEN_LIMITS = {
  tokenByUser: { name: "token_by_user", windows: [per(60, MINUTE)] },
} as const satisfies Record<string, Limit>;
