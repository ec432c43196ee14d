import type { App } from "../http/context.server.ts";
import { type Failure, failure } from "../http/errors.ts";
import { withLimit } from "../limits/rate-limit.server.ts";
import { AUTH_LIMITS } from "./limits.ts";
import { notifyOwner } from "./notify-owner.server.ts";

/** Who tries a password: a client that signs in, or a signed-in user who confirms who they are. */
export type PasswordTry = { client: string; email: string } | { userId: string };

/**
 * Tries a password within the limits. The account's try is counted before the password is checked, so that a thousand
 * clients at once have no more tries than one, and refunded when it was right. After the last wrong one the owner is told.
 *
 * Failures, the same whether there is such an account: 400 wrong, with `wrong` as the message; 429 too many tries, of
 * this client or for this account.
 */
export async function tryPassword<T>(
  app: Pick<App, "config" | "db" | "log">,
  by: PasswordTry,
  wrong: string,
  attempt: () => Promise<T | null>,
): Promise<{ ok: true; found: T } | Failure> {
  if ("userId" in by) return withLimit(app, AUTH_LIMITS.confirmFailuresByUser, by.userId, judge);
  const email = by.email.toLowerCase();
  return withLimit(app, AUTH_LIMITS.signInByClient, by.client, () =>
    withLimit(app, AUTH_LIMITS.signInFailuresByAccount, email, async ({ isLast }) => {
      const judged = await judge();
      if (!judged.ok && isLast) await tellOfPause(app, email);
      return judged;
    }),
  );

  async function judge(): Promise<{ ok: true; found: T } | Failure> {
    const found = await attempt();
    return found === null ? failure(400, wrong) : { ok: true, found };
  }
}

/** Throws nothing: if it did, the wrong password would not count. Whether there is an account is seen when the mail is written. */
async function tellOfPause(app: Pick<App, "config" | "db" | "log">, email: string): Promise<void> {
  try {
    await withLimit(app, AUTH_LIMITS.pausedByAddress, email, () => notifyOwner(app, "paused", email));
  } catch (error) {
    app.log.error({ error }, "an owner could not be told of a pause");
  }
}
