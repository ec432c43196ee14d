import { type NotingApp, noteIfRefused } from "../auth/refusals.server.ts";
import type { App } from "../http/context.server.ts";
import { HOUR, type Limit, MINUTE } from "../limits/limit.ts";
import { type TooManyRequests, withLimits } from "../limits/rate-limit.server.ts";

const PROMO_LIMITS = {
  /** Wrong codes, against guessing. */
  promoByUser: {
    name: "promo_by_user",
    windows: [
      { count: 10, seconds: MINUTE },
      { count: 60, seconds: HOUR },
    ],
    countsOnlyFailures: true,
  },
  /** Wrong codes by client, against guessing with many accounts. */
  promoByClient: {
    name: "promo_by_client",
    windows: [
      { count: 30, seconds: 10 * MINUTE },
      { count: 120, seconds: HOUR },
    ],
    countsOnlyFailures: true,
  },
} as const satisfies Record<string, Limit>;

/**
 * Runs what tells somebody whether a code is right, within the limits on wrong ones.
 *
 * @param who of whom `user` is `null` when signed out
 * @param work its result is `{ok: true}` for what was no guess
 */
export async function withinGuesses<Done>(
  app: NotingApp & Pick<App, "db">,
  { user, client }: { user: { id: string; email: string } | null; client: string },
  work: () => Promise<Done>,
): Promise<Done | TooManyRequests> {
  const byUser = user === null ? [] : [{ limit: PROMO_LIMITS.promoByUser, who: user.id }];
  const done = await withLimits(app, [...byUser, { limit: PROMO_LIMITS.promoByClient, who: client }], work);
  return noteIfRefused(app, done, REASONS, { email: user?.email ?? null, client });
}

const REASONS = { wrong: "wrong_promo_code", limited: "promo_code_limited" } as const;
