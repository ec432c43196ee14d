import type { App } from "../http/context.server.ts";
import type { Limit } from "../limits/limit.ts";
import { type TooManyRequests, withLimit } from "../limits/rate-limit.server.ts";
import { AUTH_LIMITS } from "./limits.ts";

/**
 * Sends mail to some addresses, if each of them may have one more.
 *
 * @param limit by address, for this kind of mail
 * @returns what `send` returns. Failures: 429 too many to one of the addresses, or by this client
 */
export async function sendWithinLimits<Done>(
  app: Pick<App, "config" | "db" | "log">,
  limit: Limit,
  client: string,
  [email, ...others]: string[],
  send: () => Promise<Done>,
): Promise<Done | TooManyRequests> {
  if (email === undefined) return send();
  return withLimit(app, AUTH_LIMITS.mailByClient, client, () =>
    withLimit(app, limit, email.toLowerCase(), () => sendWithinLimits(app, limit, client, others, send)),
  );
}
