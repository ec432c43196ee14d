import type { App } from "../http/context.server.ts";
import { type Failure, failure } from "../http/errors.ts";
import { consumeLimit, withLimit, withLimits } from "../limits/rate-limit.server.ts";
import { WRONG_PASSWORD } from "./credentials.ts";
import { failureLimits, rememberNetwork } from "./known-networks.server.ts";
import { AUTH_LIMITS } from "./limits.ts";
import { notifyOwner } from "./notify-owner.server.ts";
import { checkPassword, findPasswordOf, type StoredPassword } from "./passwords.server.ts";
import { type NotingApp, noteIfRefused } from "./refusals.server.ts";
import type { SignedInUser } from "./sessions.server.ts";

/** Who tries the password of an address: a client that signs in, or a signed-in user who confirms who they are. */
export interface PasswordTry {
  client: string;
  email: string;
  /** Of a signed-in user: counted apart, so that a stranger cannot use up the tries. */
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
      if (judged.ok) await rememberNetwork(app, { account: email, client });
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

/** Never throws, or the wrong password would not count. The job looks up whether there is an account. */
async function noteWrong(app: Pick<App, "config" | "db" | "log">, email: string): Promise<void> {
  try {
    const noted = await consumeLimit(app, AUTH_LIMITS.wrongTriesByAccount, email);
    if (noted.ok && noted.isLast)
      await withLimit(app, AUTH_LIMITS.pausedByAddress, email, () => notifyOwner(app, "paused", email));
  } catch (error) {
    app.log.error({ error }, "an owner could not be told of wrong passwords");
  }
}

/**
 * Checks the password of a signed-in user, within the limits: the one place below /account where passwords are tried.
 *
 * @param client as the limits count it
 * Failures: 400 it is not; 429 too many tries.
 */
export function confirmPassword(
  app: NotingApp & Pick<App, "db">,
  client: string,
  user: SignedInUser,
  password: string,
): Promise<{ ok: true; found: StoredPassword } | Failure> {
  return tryPassword(app, { client, email: user.email, userId: user.id }, WRONG_PASSWORD, async () => {
    const stored = await findPasswordOf(app.db, user.id);
    return checkPassword(app.db, stored, password);
  });
}
