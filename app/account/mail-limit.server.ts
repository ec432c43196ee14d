import type { App } from "../context.server.ts";
import type { Failure } from "../http/errors.ts";
import { LIMITS, type Limit } from "../http/limits.ts";
import { takeTurn } from "../http/rate-limit.server.ts";
import { tooMany } from "../http/too-many.server.ts";

/**
 * Whether somebody may have one more mail sent to an address, whoever has it.
 *
 * @param limit by address, for this kind of mail
 *
 * Failures: 429 too many to this address, or by this client.
 */
export async function mayHaveMailSent(
  app: Pick<App, "config" | "db">,
  limit: Limit,
  client: string,
  email: string,
): Promise<{ ok: true } | Failure> {
  const byClient = await takeTurn(app, LIMITS.mailByClient, client);
  if (!byClient.ok) return tooMany(byClient.waitSeconds);
  const byAddress = await takeTurn(app, limit, email.toLowerCase());
  return byAddress.ok ? { ok: true } : tooMany(byAddress.waitSeconds);
}
