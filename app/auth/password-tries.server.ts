import type { App } from "../http/context.server.ts";
import { type Failure, failure } from "../http/errors.ts";
import { consumeLimit, withLimit, withLimits } from "../limits/rate-limit.server.ts";
import { failureLimits, noteNetwork } from "./known-networks.server.ts";
import { AUTH_LIMITS } from "./limits.ts";
import { notifyOwner } from "./notify-owner.server.ts";
import { type NotingApp, noteIfRefused } from "./refusals.server.ts";

/** Who tries the password of an address: a client that signs in, or a signed-in user who confirms who they are. */
export interface PasswordTry {
  client: string;
  email: string;
  /** Of somebody signed in, whose tries a stranger must not use up. */
  userId?: string;
}

const SIGNING_IN = {
  byNetwork: AUTH_LIMITS.signInFailuresByNetwork,
  inAll: AUTH_LIMITS.signInFailuresByAccount,
};
const CONFIRMING = {
  byNetwork: AUTH_LIMITS.confirmFailuresByNetwork,
  inAll: AUTH_LIMITS.confirmFailuresByUser,
};

/**
 * Tries a password within the limits. A try is counted before the password is checked, so that a thousand at once are no
 * more than one after the other, and refunded when it was right. After ten wrong ones the owner is told.
 *
 * Failures, the same whether there is such an account: 400 wrong, with `wrong` as the message; 429 too many tries, of
 * this client, or for this account from its network or from all.
 */
export async function tryPassword<T>(
  app: NotingApp & Pick<App, "db">,
  { client, email: typed, userId }: PasswordTry,
  wrong: string,
  attempt: () => Promise<T | null>,
): Promise<{ ok: true; found: T } | Failure> {
  const email = typed.toLowerCase();
  return noteIfRefused(app, await tryWithinLimits(), REASONS, { email, client });

  async function tryWithinLimits(): Promise<{ ok: true; found: T } | Failure> {
    if (userId)
      return withLimits(app, await failureLimits(app, CONFIRMING, { account: userId, client }), judge);
    return withLimit(app, AUTH_LIMITS.signInByClient, client, async () => {
      const limits = await failureLimits(app, SIGNING_IN, { account: email, client });
      const judged = await withLimits(app, limits, judge);
      if (judged.ok) await noteNetwork(app, { account: email, client });
      return judged;
    });
  }

  async function judge(): Promise<{ ok: true; found: T } | Failure> {
    const found = await attempt();
    if (found !== null) return { ok: true, found };
    if (!userId) await noteWrong(app, email);
    return failure(400, wrong);
  }
}

const REASONS = { wrong: "wrong_password", limited: "password_limited" } as const;

/** Throws nothing: if it did, the wrong password would not count. Whether there is an account is seen when the mail is written. */
async function noteWrong(app: Pick<App, "config" | "db" | "log">, email: string): Promise<void> {
  try {
    const noted = await consumeLimit(app, AUTH_LIMITS.wrongTriesByAccount, email);
    if (noted.ok && noted.isLast)
      await withLimit(app, AUTH_LIMITS.pausedByAddress, email, () => notifyOwner(app, "paused", email));
  } catch (error) {
    app.log.error({ error }, "an owner could not be told of wrong passwords");
  }
}
