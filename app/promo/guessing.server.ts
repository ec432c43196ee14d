import type { App } from "../http/context.server.ts";
import { type TooManyRequests, withLimits } from "../limits/rate-limit.server.ts";
import { PROMO_LIMITS } from "./limits.ts";

/**
 * Runs what tells somebody whether a code is right, within the limits on wrong ones.
 *
 * @param who of whom `userId` is `null` when signed out
 * @param work its result is `{ok: true}` for what was no guess
 */
export function withinGuesses<Done>(
  app: Pick<App, "config" | "db" | "log">,
  { userId, client }: { userId: string | null; client: string },
  work: () => Promise<Done>,
): Promise<Done | TooManyRequests> {
  const byUser = userId === null ? [] : [{ limit: PROMO_LIMITS.promoByUser, who: userId }];
  return withLimits(app, [...byUser, { limit: PROMO_LIMITS.promoByClient, who: client }], work);
}
