import type { App } from "../http/context.server.ts";
import { type Failure, failure } from "../http/errors.ts";
import type { Limit } from "../limits/limit.ts";
import {
  consumeLimit,
  hasHits,
  renewHit,
  type TooManyRequests,
  withLimit,
  withLimits,
} from "../limits/rate-limit.server.ts";
import type { RefusalReason } from "../telemetry/metrics.ts";
import { WRONG_PASSWORD } from "./credentials.ts";
import { pseudonymOf } from "./keys.server.ts";
import { AUTH_LIMITS } from "./limits.ts";
import { notifyOwner } from "./mail-links.server.ts";
import { checkPassword, findPasswordOf } from "./passwords.server.ts";
import type { SignedInUser } from "./users.server.ts";

export type NotingApp = Pick<App, "config" | "log"> & Partial<Pick<App, "telemetry">>;

export type TryingApp = NotingApp & Pick<App, "db">;

/** `account` is the address for passwords, the user's id for second factors. */
interface TryAt {
  account: string;
  client: string;
}

export const networkOf = ({ account, client }: TryAt) => `${account} ${client}`;

/**
 * By network, so that an attacker cannot use up the owner's tries (decision 0047), and overall, but for networks that the owner has
 * signed in from.
 */
export async function withinFailureLimits<Done extends { ok: boolean }>(
  app: TryingApp,
  byNetwork: Limit,
  inAll: Limit,
  at: TryAt,
  judge: () => Promise<Done>,
): Promise<Done | TooManyRequests> {
  const isKnown = await hasHits(app, AUTH_LIMITS.knownNetwork, networkOf(at));
  const ofNetwork = { limit: byNetwork, who: networkOf(at) };
  return withLimits(app, isKnown ? [ofNetwork] : [ofNetwork, { limit: inAll, who: at.account }], judge);
}

/** Never rejects. */
export async function rememberNetwork(app: TryingApp, at: TryAt): Promise<void> {
  await renewHit(app, AUTH_LIMITS.knownNetwork, networkOf(at)).catch((error: unknown) =>
    app.log.warn({ error }, "a network could not be noted; it counts as unknown"),
  );
}

/** The last of ten mails the owner. Never rejects, or the try would not count. */
export async function noteWrongTry(
  app: TryingApp,
  account: string,
  { email, what }: { email: string; what: string },
  tellOwner: () => Promise<unknown>,
): Promise<void> {
  try {
    const noted = await consumeLimit(app, AUTH_LIMITS.wrongTriesByAccount, account);
    if (noted.ok && noted.isLast) await withLimit(app, AUTH_LIMITS.pausedByAddress, email, tellOwner);
  } catch (error) {
    app.log.error({ error }, `an owner could not be told of ${what}`);
  }
}

interface Refused {
  email: string | null;
  client: string;
}

/** Logged under pseudonyms (decision 0022). */
export function noteRefusal(
  { config, log, telemetry }: NotingApp,
  reason: RefusalReason,
  { email, client }: Refused,
): void {
  telemetry?.meters.record("refusals_total", { reason });
  log.info(
    {
      reason,
      ...(email !== null && { account: pseudonymOf(config.authSecret, "account", email.toLowerCase()) }),
      network: pseudonymOf(config.authSecret, "network", client),
    },
    "refused",
  );
}

export function noteIfRefused<Done extends { ok: boolean; status?: number }>(
  app: NotingApp,
  done: Done,
  reasons: { wrong: RefusalReason; limited: RefusalReason },
  refused: Refused,
): Done {
  if (!done.ok) noteRefusal(app, done.status === 429 ? reasons.limited : reasons.wrong, refused);
  return done;
}

interface PasswordTry {
  client: string;
  email: string;
  /** Signed-in users are counted apart, so that a stranger cannot use up the tries. */
  userId?: string;
}

const REASONS = { wrong: "wrong_password", limited: "password_limited" } as const;

/**
 * Counted before it is checked, so that concurrent tries cannot exceed the limit; refunded when right.
 * Failures, the same whether there is such an account: 400 wrong, with `wrong` as the message; 429 too many tries.
 */
export async function tryPassword<T>(
  app: TryingApp,
  { client, email: typed, userId }: PasswordTry,
  wrong: string,
  attempt: () => Promise<T | null>,
): Promise<{ ok: true; found: T } | Failure> {
  const email = typed.toLowerCase();
  const at = { account: userId ?? email, client };
  const limits = AUTH_LIMITS;
  const tried = userId
    ? await withinFailureLimits(app, limits.confirmFailuresByNetwork, limits.confirmFailuresByUser, at, judge)
    : await withLimit(app, limits.signInByClient, client, async () => {
        const { signInFailuresByNetwork, signInFailuresByAccount } = limits;
        const judged = await withinFailureLimits(
          app,
          signInFailuresByNetwork,
          signInFailuresByAccount,
          at,
          judge,
        );
        if (judged.ok) await rememberNetwork(app, at);
        return judged;
      });
  return noteIfRefused(app, tried, REASONS, { email, client });

  async function judge(): Promise<{ ok: true; found: T } | Failure> {
    const found = await attempt();
    if (found !== null) return { ok: true, found };
    // The job looks up whether there is an account.
    if (!userId)
      await noteWrongTry(app, email, { email, what: "wrong passwords" }, () =>
        notifyOwner(app, "paused", email),
      );
    return failure(400, wrong);
  }
}

/** Failures: 400 wrong; 429 too many tries. */
export function confirmPassword(app: TryingApp, client: string, user: SignedInUser, password: string) {
  return tryPassword(app, { client, email: user.email, userId: user.id }, WRONG_PASSWORD, async () =>
    checkPassword(app.db, await findPasswordOf(app.db, user.id), password),
  );
}
