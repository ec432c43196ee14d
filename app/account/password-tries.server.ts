import type { App } from "../context.server.ts";
import { type Failure, failure } from "../http/errors.ts";
import { LIMITS } from "../http/limits.ts";
import { takeTurn } from "../http/rate-limit.server.ts";
import { tooMany } from "../http/too-many.server.ts";
import { noticeOwner } from "./reset-password.server.ts";

/** Who tries a password: somebody who wants to get in, or somebody signed in who shows again who they are. */
export type PasswordTry = { client: string; email: string } | { userId: string };

/**
 * Tries a password within the limits. The account's turn is taken before the password is looked at, so that a thousand
 * clients at once have no more tries than one, and given back when it was right. At the last wrong one the owner is told.
 *
 * Failures, the same whether there is such an account: 400 wrong, with `wrong` as the message; 429 too many tries, of
 * this client or for this account.
 */
export async function tryPassword<T>(
  app: Pick<App, "config" | "db" | "wakeWorkers">,
  by: PasswordTry,
  wrong: string,
  attempt: () => Promise<T | null>,
): Promise<{ ok: true; found: T } | Failure> {
  if ("client" in by) {
    const byClient = await takeTurn(app, LIMITS.signInByClient, by.client);
    if (!byClient.ok) return tooMany(byClient.waitSeconds);
  }
  const byAccount = await ("client" in by
    ? takeTurn(app, LIMITS.signInFailuresByAccount, by.email.toLowerCase())
    : takeTurn(app, LIMITS.confirmFailuresByUser, by.userId));
  if (!byAccount.ok) return tooMany(byAccount.waitSeconds);
  const found = await attempt();
  if (found !== null) {
    await byAccount.giveBack();
    return { ok: true, found };
  }
  if (byAccount.isLast && "client" in by) await tellOfPause(app, by.email);
  return failure(400, wrong);
}

/** Whether there is such an account is seen when the mail is written. */
async function tellOfPause(app: Pick<App, "config" | "db" | "wakeWorkers">, email: string): Promise<void> {
  const turn = await takeTurn(app, LIMITS.pausedByAddress, email.toLowerCase());
  if (turn.ok) await noticeOwner(app, "paused", email);
}
