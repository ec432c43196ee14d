import type { Queryable } from "../../db/client.server.ts";
import type { App } from "../../http/context.server.ts";
import { type Failure, type FieldFailure, failure } from "../../http/errors.ts";
import { consumeLimit, withLimit, withLimits } from "../../limits/rate-limit.server.ts";
import { enqueueMail } from "../../mail/enqueue-mail.server.ts";
import { foldCode } from "../../ui/typed-text.ts";
import { failureLimits, noteNetwork } from "../known-networks.server.ts";
import { AUTH_LIMITS } from "../limits.ts";
import { lockUser } from "../lock-user.server.ts";
import { type NotingApp, noteIfRefused } from "../refusals.server.ts";
import { takeAppCode } from "./authenticator-app.server.ts";
import { factorPausedMessage, recoveryCodeUsedMessage } from "./messages.ts";
import { takePasskey } from "./passkeys.server.ts";
import { takeRecoveryCode } from "./recovery-codes.server.ts";

type ShowingApp = NotingApp & Pick<App, "db">;

/** Who shows a second factor: the session, waiting or open, whose client sends it. */
export interface Shower {
  client: string;
  sessionId: string;
  user: { id: string; email: string };
}

/** What they show: as `factorForm` reads it. */
export interface Shown {
  otp?: string | undefined;
  passkey?: string | undefined;
}

type Kind = "app" | "recovery code" | "passkey";

const WRONG: Record<Kind, string> = {
  app: "Wrong code. Each code works once and only for a moment. Wait for the next one and try again.",
  "recovery code": "This isn’t one of your recovery codes, or it has been used.",
  passkey: "That passkey didn’t work. Try again, or use a code.",
};

/** The session ended while its user was asked: their password was changed, or they signed out elsewhere. */
const ENDED = failure(401, "This sign-in has ended. Log in again.");

/**
 * Judges a second factor within the limits, and uses it up in the same transaction as what it is shown for. The user is
 * locked meanwhile: whoever signs them out, or removes the factor, comes before or after.
 *
 * @param onShown what it is shown for; `null` when that cannot be done any more, and then nothing is used up
 * Failures: 400 of the field `otp`: wrong; 401 the session has ended; 429 too many tries.
 */
export async function showFactor<T>(
  app: ShowingApp,
  by: Shower,
  shown: Shown,
  onShown: (tx: Queryable) => Promise<T | null>,
): Promise<{ ok: true; found: T } | Failure | FieldFailure> {
  const kind = kindOf(shown);
  const at = { account: by.user.id, client: by.client };
  const done = await withLimit(app, AUTH_LIMITS.secondFactorByClient, `${by.client} ${kind}`, async () => {
    const limits = kind === "app" ? await failureLimits(app, APP_CODES, at) : [];
    const judged = await withLimits(app, limits, () => judgeFactor(app, by, kind, shown, onShown));
    if (judged.ok) await noteNetwork(app, at);
    else if (judged.status !== 429) await noteWrong(app, by.user);
    return judged;
  });
  const reasons = { wrong: REASONS[kind], limited: "second_factor_limited" } as const;
  // That the session ended meanwhile is nobody's guess.
  return done === ENDED
    ? done
    : noteIfRefused(app, done, reasons, { email: by.user.email, client: by.client });
}

const APP_CODES = {
  byNetwork: AUTH_LIMITS.appCodeFailuresByNetwork,
  inAll: AUTH_LIMITS.appCodeFailuresByUser,
};

const REASONS = {
  app: "wrong_app_code",
  "recovery code": "wrong_recovery_code",
  passkey: "wrong_passkey",
} as const satisfies Record<Kind, string>;

function kindOf({ otp = "", passkey }: Shown): Kind {
  if (passkey) return "passkey";
  return /^\d{1,6}$/.test(digitsOf(otp)) ? "app" : "recovery code";
}

/** Apps show their codes in two groups. */
const digitsOf = (otp: string) => foldCode(otp).replaceAll(/[\s-]/g, "");

async function judgeFactor<T>(
  app: ShowingApp,
  by: Shower,
  kind: Kind,
  shown: Shown,
  onShown: (tx: Queryable) => Promise<T | null>,
): Promise<{ ok: true; found: T } | Failure | FieldFailure> {
  try {
    return await app.db.transaction(async (tx) => {
      const owner = await lockUser(tx, by.user.id);
      if (!owner) throw new Ended();
      if (!(await isRight(tx, app, by, owner.email, kind, shown)))
        return { ...failure(400, WRONG[kind]), field: "otp" };
      const found = await onShown(tx);
      if (found === null) throw new Ended();
      return { ok: true, found };
    });
  } catch (error) {
    if (error instanceof Ended) return ENDED;
    throw error;
  }
}

async function isRight(
  tx: Queryable,
  app: ShowingApp,
  { sessionId, user: { id: userId } }: Shower,
  email: string,
  kind: Kind,
  { otp = "", passkey = "" }: Shown,
): Promise<boolean> {
  if (kind === "passkey") return takePasskey(tx, app.config, { sessionId, userId }, passkey);
  if (kind === "app") return takeAppCode(tx, app, userId, digitsOf(otp));
  const used = await takeRecoveryCode(tx, userId, otp);
  if (used)
    await enqueueMail(tx, app.config.site, recoveryCodeUsedMessage(email, used.left, app.config.site));
  return used !== null;
}

/** Throws nothing: if it did, the wrong code would not count. */
async function noteWrong(app: ShowingApp, { id, email }: Shower["user"]): Promise<void> {
  const { site } = app.config;
  try {
    const noted = await consumeLimit(app, AUTH_LIMITS.wrongTriesByAccount, id);
    if (!noted.ok || !noted.isLast) return;
    await withLimit(app, AUTH_LIMITS.pausedByAddress, email, () =>
      enqueueMail(app.db, site, factorPausedMessage(email, site)),
    );
  } catch (error) {
    app.log.error({ error }, "an owner could not be told of wrong codes");
  }
}

/** What the factor was shown for is over: the transaction is undone, and with it the use of a code. */
class Ended extends Error {
  override name = "Ended";
}
