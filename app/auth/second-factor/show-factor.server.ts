import { z } from "zod";
import type { Queryable } from "../../db/client.server.ts";
import { fromContext } from "../../http/context.server.ts";
import { type Failure, type FieldFailure, failure } from "../../http/errors.ts";
import { withLimit } from "../../limits/rate-limit.server.ts";
import { enqueueMail } from "../../mail/enqueue-mail.server.ts";
import { readToken, setToken } from "../cookies.server.ts";
import { AUTH_LIMITS } from "../limits.ts";
import { noteSignIn, type RouteArgs, readSession, renewToken } from "../session.server.ts";
import { completeSession, deleteSession, findPendingSession, type Session } from "../sessions.server.ts";
import {
  noteIfRefused,
  noteWrongTry,
  rememberNetwork,
  type TryingApp,
  withinFailureLimits,
} from "../tries.server.ts";
import { lockUser } from "../users.server.ts";
import { consumeAppCode, digitsOf } from "./authenticator-app.server.ts";
import { factorPausedMessage, recoveryCodeUsedMessage } from "./messages.ts";
import { consumePasskey } from "./passkeys.server.ts";
import { consumeRecoveryCode } from "./recovery-codes.server.ts";

const NOTHING = "Enter the code";

/** A code of the app, a recovery code, or a passkey's answer. */
export const factorForm = z
  .object({
    otp: z.string().max(100, NOTHING).optional(),
    passkey: z.string().max(20_000, NOTHING).optional(),
  })
  .refine(({ otp, passkey }) => otp || passkey, { error: NOTHING, path: ["otp"] });

type FactorAnswer = z.infer<typeof factorForm>;

const KINDS = {
  app: {
    message: "Wrong code. Wait for your app’s next one, or use a recovery code.",
    reason: "wrong_app_code",
  },
  "recovery code": {
    message: "This isn’t one of your recovery codes, or it has been used.",
    reason: "wrong_recovery_code",
  },
  passkey: {
    message: "That passkey didn’t work. Try again, or use a code.",
    reason: "wrong_passkey",
  },
} as const;

type Kind = keyof typeof KINDS;

function kindOf({ otp = "", passkey }: FactorAnswer): Kind {
  if (passkey) return "passkey";
  return /^\d{1,6}$/.test(digitsOf(otp)) ? "app" : "recovery code";
}

/** The password was changed meanwhile, or they signed out elsewhere. */
const ENDED = failure(401, "This sign-in has ended. Log in again.");

type Shown<T> = { ok: true; found: T } | Failure | FieldFailure;

/**
 * Uses a factor up in one transaction with `onShown`. The user is locked, against signing out and removing the factor meanwhile.
 * @param by the session, waiting or open, for which it is shown
 * @param onShown `null` when it cannot be done any more, and then nothing is used up
 * Failures: 400 of the field `otp`: wrong; 401 the session has ended; 429 too many tries.
 */
async function showFactor<T>(
  { context }: RouteArgs,
  by: Session,
  shown: FactorAnswer,
  onShown: (tx: Queryable) => Promise<T | null>,
): Promise<Shown<T>> {
  const { app, state } = fromContext(context);
  const { client } = state;
  const { id, email } = by.user;
  const { site } = app.config;
  const kind = kindOf(shown);
  const at = { account: id, client };
  const done = await withLimit(app, AUTH_LIMITS.secondFactorByClient, `${client} ${kind}`, async () => {
    const { appCodeFailuresByNetwork, appCodeFailuresByUser } = AUTH_LIMITS;
    const judged = await (kind === "app"
      ? withinFailureLimits(app, appCodeFailuresByNetwork, appCodeFailuresByUser, at, judge)
      : judge());
    if (judged.ok) await rememberNetwork(app, at);
    else if (judged.status !== 429)
      await noteWrongTry(app, id, { email, what: "wrong codes" }, () =>
        enqueueMail(app.db, site, factorPausedMessage(email, site)),
      );
    return judged;
  });
  // Not a wrong guess.
  if (done === ENDED) return done;
  const reasons = { wrong: KINDS[kind].reason, limited: "second_factor_limited" } as const;
  return noteIfRefused(app, done, reasons, { email, client });

  async function judge(): Promise<Shown<T>> {
    try {
      return await app.db.transaction(async (tx) => {
        const owner = await lockUser(tx, id);
        if (!owner) throw new Ended();
        if (!(await consumeFactor(tx, app, { sessionId: by.id, owner }, kind, shown)))
          return { ...failure(400, KINDS[kind].message), field: "otp" };
        const found = await onShown(tx);
        if (found === null) throw new Ended();
        return { ok: true, found };
      });
    } catch (error) {
      if (error instanceof Ended) return ENDED;
      throw error;
    }
  }
}

/** Rolls back the use of a code. */
class Ended extends Error {
  override name = "Ended";
}

async function consumeFactor(
  tx: Queryable,
  app: TryingApp,
  { sessionId, owner }: { sessionId: string; owner: { id: string; email: string } },
  kind: Kind,
  { otp = "", passkey = "" }: FactorAnswer,
): Promise<boolean> {
  if (kind === "passkey") return consumePasskey(tx, app.config, { sessionId, userId: owner.id }, passkey);
  if (kind === "app") return consumeAppCode(tx, app, owner.id, digitsOf(otp));
  const used = await consumeRecoveryCode(tx, owner.id, otp);
  const { site } = app.config;
  if (used) await enqueueMail(tx, site, recoveryCodeUsedMessage(owner.email, used.left, site));
  return used !== null;
}

export async function readPending({ request, context }: RouteArgs): Promise<Session | null> {
  const { app } = fromContext(context);
  const token = await readToken(app.config, "pending", request);
  return token === null ? null : findPendingSession(app.db, token);
}

/** Ends the session the browser had before. Failures: those of `showFactor`. */
export async function finishSignIn(args: RouteArgs, pending: Session, shown: FactorAnswer) {
  const { app, state } = fromContext(args.context);
  const before = await readSession(args);
  const done = await showFactor(args, pending, shown, (tx) => completeSession(tx, pending.id));
  if (!done.ok) return done;
  if (before) await deleteSession(app.db, before);
  await setToken(app.config, state, "pending", null);
  await setToken(app.config, state, "session", done.found);
  noteSignIn(args, pending.user.id, kindOf(shown));
  return done;
}

/** For an open session. Failures: those of `showFactor`. */
export async function confirmFactor(args: RouteArgs, own: Session, shown: FactorAnswer) {
  const { app, state } = fromContext(args.context);
  const done = await showFactor(args, own, shown, (tx) => renewToken(args, tx, own.id, "secondFactorAt"));
  if (done.ok) await setToken(app.config, state, "session", done.found);
  return done;
}
