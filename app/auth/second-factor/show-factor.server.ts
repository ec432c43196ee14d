import { z } from "zod";
import type { Queryable } from "../../db/client.server.ts";
import { type App, fromContext } from "../../http/context.server.ts";
import { type Failure, type FieldFailure, failure } from "../../http/errors.ts";
import { consumeLimit, withLimit, withLimits } from "../../limits/rate-limit.server.ts";
import { enqueueMail } from "../../mail/enqueue-mail.server.ts";
import { foldCode } from "../../ui/typed-text.ts";
import { clearPendingCookie, readPendingToken, setSessionCookie } from "../cookies.server.ts";
import { failureLimits, rememberNetwork } from "../known-networks.server.ts";
import { AUTH_LIMITS } from "../limits.ts";
import { lockUser } from "../lock-user.server.ts";
import { type NotingApp, noteIfRefused } from "../refusals.server.ts";
import { renewToken } from "../renew-token.server.ts";
import { type RouteArgs, readSession } from "../session.server.ts";
import { completeSession, deleteSession, findPendingSession, type Session } from "../sessions.server.ts";
import { consumeAppCode } from "./authenticator-app.server.ts";
import { factorPausedMessage, recoveryCodeUsedMessage } from "./messages.ts";
import { consumePasskey } from "./passkeys.server.ts";
import { consumeRecoveryCode } from "./recovery-codes.server.ts";

type ShowingApp = NotingApp & Pick<App, "db">;

/** The session, waiting or open, for which a second factor is shown. */
interface FactorSession {
  client: string;
  sessionId: string;
  user: { id: string; email: string };
}

const NOTHING = "Enter the code";

/** A second factor as a form sends it: a typed code of the app, a recovery code, or a passkey's answer, which a script puts in. */
export const factorForm = z
  .object({
    otp: z.string().max(100, NOTHING).optional(),
    passkey: z.string().max(20_000, NOTHING).optional(),
  })
  .refine(({ otp, passkey }) => otp || passkey, { error: NOTHING, path: ["otp"] });

type FactorAnswer = z.infer<typeof factorForm>;

type Kind = "app" | "recovery code" | "passkey";

const WRONG: Record<Kind, string> = {
  app: "Wrong code. Each code works once and only for a moment. Wait for the next one and try again.",
  "recovery code": "This isn’t one of your recovery codes, or it has been used.",
  passkey: "That passkey didn’t work. Try again, or use a code.",
};

/** The session ended while its user was asked: their password was changed, or they signed out elsewhere. */
const ENDED = failure(401, "This sign-in has ended. Log in again.");

/**
 * Checks a second factor within the limits, and uses it up in one transaction with `onShown`. The user is locked, which serialises
 * this with signing out and with removing the factor.
 *
 * @param onShown what it is shown for; `null` when that cannot be done any more, and then nothing is used up
 * Failures: 400 of the field `otp`: wrong; 401 the session has ended; 429 too many tries.
 */
async function showFactor<T>(
  app: ShowingApp,
  by: FactorSession,
  shown: FactorAnswer,
  onShown: (tx: Queryable) => Promise<T | null>,
): Promise<{ ok: true; found: T } | Failure | FieldFailure> {
  const kind = kindOf(shown);
  const at = { account: by.user.id, client: by.client };
  const done = await withLimit(app, AUTH_LIMITS.secondFactorByClient, `${by.client} ${kind}`, async () => {
    const limits = kind === "app" ? await failureLimits(app, APP_CODES, at) : [];
    const judged = await withLimits(app, limits, () => judgeFactor(app, by, kind, shown, onShown));
    if (judged.ok) await rememberNetwork(app, at);
    else if (judged.status !== 429) await noteWrong(app, by.user);
    return judged;
  });
  const reasons = { wrong: REASONS[kind], limited: "second_factor_limited" } as const;
  // Not a wrong guess.
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

function kindOf({ otp = "", passkey }: FactorAnswer): Kind {
  if (passkey) return "passkey";
  return /^\d{1,6}$/.test(digitsOf(otp)) ? "app" : "recovery code";
}

const digitsOf = (otp: string) => foldCode(otp).replaceAll(/[\s-]/g, "");

async function judgeFactor<T>(
  app: ShowingApp,
  by: FactorSession,
  kind: Kind,
  shown: FactorAnswer,
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
  { sessionId, user: { id: userId } }: FactorSession,
  email: string,
  kind: Kind,
  { otp = "", passkey = "" }: FactorAnswer,
): Promise<boolean> {
  if (kind === "passkey") return consumePasskey(tx, app.config, { sessionId, userId }, passkey);
  if (kind === "app") return consumeAppCode(tx, app, userId, digitsOf(otp));
  const used = await consumeRecoveryCode(tx, userId, otp);
  if (used)
    await enqueueMail(tx, app.config.site, recoveryCodeUsedMessage(email, used.left, app.config.site));
  return used !== null;
}

/** Never throws, or the wrong code would not count. */
async function noteWrong(app: ShowingApp, { id, email }: FactorSession["user"]): Promise<void> {
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

/** Thrown to roll the transaction back, and with it the use of a code. */
class Ended extends Error {
  override name = "Ended";
}

/** This browser's sign-in that waits for a second factor; nobody is signed in by it. */
export async function readPending({ request, context }: RouteArgs): Promise<Session | null> {
  const { app } = fromContext(context);
  const token = await readPendingToken(app.config, request);
  return token === null ? null : findPendingSession(app.db, token);
}

/**
 * Signs in somebody whose sign-in waits for a second factor, and ends the session the browser had before.
 *
 * Failures: those of `showFactor`.
 */
export async function finishSignIn(args: RouteArgs, pending: Session, shown: FactorAnswer) {
  const { app, state } = fromContext(args.context);
  const before = await readSession(args);
  const by = { client: state.client, sessionId: pending.id, user: pending.user };
  const done = await showFactor(app, by, shown, (tx) => completeSession(tx, pending.id));
  if (!done.ok) return done;
  if (before) await deleteSession(app.db, before);
  await clearPendingCookie(app.config, state);
  await setSessionCookie(app.config, state, done.found);
  state.session = undefined;
  return done;
}

/**
 * Notes that the user of an open session has shown their second factor again.
 *
 * Failures: those of `showFactor`.
 */
export async function confirmFactor(args: RouteArgs, { id, user }: Session, shown: FactorAnswer) {
  const { app, state } = fromContext(args.context);
  const by = { client: state.client, sessionId: id, user };
  const done = await showFactor(app, by, shown, (tx) => renewToken(args, tx, id, "secondFactorAt"));
  if (done.ok) await done.found();
  return done;
}
