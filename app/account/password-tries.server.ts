import type { App } from "../context.server.ts";
import { type Failure, failure } from "../http/errors.ts";
import { LIMITS } from "../http/limits.ts";
import { takeTurn } from "../http/rate-limit.server.ts";
import { tooMany } from "../http/too-many.server.ts";
import { noticeOwner } from "./reset-password.server.ts";

/** Who tries a password, and for which account. */
export interface PasswordTry {
  /** As `RequestState.client` names it; `null` for somebody who is signed in and shows again who they are. */
  client: string | null;
  email: string;
}

/**
 * Tries a password within the limits. The account's turn is taken before the password is looked at, so that a thousand
 * clients at once have no more tries than one, and given back when it was right. At the last wrong one the owner is told.
 *
 * Failures, the same whether there is such an account: 400 wrong, with `wrong` as the message; 429 too many tries, of
 * this client or for this account.
 */
export async function tryPassword<T>(
  app: Pick<App, "config" | "db" | "wakeWorkers">,
  { client, email }: PasswordTry,
  wrong: string,
  attempt: () => Promise<T | null>,
): Promise<{ ok: true; found: T } | Failure> {
  const address = email.toLowerCase();
  if (client !== null) {
    const byClient = await takeTurn(app, LIMITS.signInByClient, client);
    if (!byClient.ok) return tooMany(byClient.waitSeconds);
  }
  const byAccount = await takeTurn(app, LIMITS.signInFailuresByAccount, address);
  if (!byAccount.ok) return tooMany(byAccount.waitSeconds);
  const found = await attempt();
  if (found !== null) {
    await byAccount.giveBack();
    return { ok: true, found };
  }
  if (byAccount.isLast) await noticeOwner(app, "paused", address);
  return failure(400, wrong);
}
