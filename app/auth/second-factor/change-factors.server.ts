import { and, count, eq, isNotNull, sql } from "drizzle-orm";
import { type Actor, recordChange } from "../../audit/record-change.server.ts";
import type { Database, Queryable } from "../../db/client.server.ts";
import { isUniqueViolation } from "../../db/constraint-errors.server.ts";
import type { App } from "../../http/context.server.ts";
import { type Failure, type FieldFailure, failure } from "../../http/errors.ts";
import { enqueueMail } from "../../mail/enqueue-mail.server.ts";
import type { Site } from "../../ui/site.ts";
import { foldCode } from "../../ui/typed-text.ts";
import { lockUser } from "../lock-user.server.ts";
import { authenticatorApps, passkeys, recoveryCodes, session } from "../schema.ts";
import { endSessionsWithin, isOpen, type Session } from "../sessions.server.ts";
import { beginApp, confirmApp } from "./authenticator-app.server.ts";
import { hasSecondFactor } from "./has-second-factor.server.ts";
import {
  factorAddedMessage,
  factorRemovedForYouMessage,
  factorRemovedMessage,
  recoveryCodesMadeMessage,
} from "./messages.ts";
import { MAX_PASSKEYS, verifyNewPasskey } from "./passkeys.server.ts";
import { readSecondFactor } from "./read-factors.server.ts";
import { makeRecoveryCodes } from "./recovery-codes.server.ts";

// Callers have a fresh session: see `requireFreshSession`.

type ChangingApp = Pick<App, "config" | "db">;

const AN_APP = "an authenticator app";
const A_PASSKEY = "a passkey";

const ENDED = failure(401, "You’ve been signed out, so nothing was changed.");

/** Begins to set up an app. @returns `false` when the user has one, or is gone */
export function beginAuthenticatorApp(app: ChangingApp, userId: string): Promise<boolean> {
  return app.db.transaction(async (tx) => {
    if (!(await lockUser(tx, userId))) return false;
    return beginApp(tx, app, userId);
  });
}

/**
 * Makes the app that was set up a second factor.
 *
 * Failures: 400 of the field `otp`: it is not the code, or there is nothing to set up; 401 the session has ended.
 */
export function addAuthenticatorApp(app: ChangingApp, own: Session, code: string) {
  return add(app, own, AN_APP, async (tx) =>
    (await confirmApp(tx, app, own.user.id, foldCode(code).replaceAll(/[\s-]/g, "")))
      ? { ok: true }
      : { ...failure(400, "Wrong code. Enter the one your app shows right now."), field: "otp" },
  );
}

/**
 * Adds the passkey a browser has just made.
 *
 * Failures: 400 of the field `passkey`: it answers another question, is known already, or is one too many; 401 the session
 * has ended.
 */
export async function addPasskey(
  app: ChangingApp,
  own: Session,
  { name, passkey }: { name: string; passkey: string },
): Promise<{ ok: true } | Failure | FieldFailure> {
  const refused = (message: string) => ({ ...failure(400, message), field: "passkey" });
  try {
    return await add(app, own, A_PASSKEY, async (tx) => {
      const made = await verifyNewPasskey(tx, app.config, own.id, passkey);
      if (!made) return refused("That took too long, or didn’t work. Try again.");
      const [known] = await tx
        .select({ keys: count() })
        .from(passkeys)
        .where(eq(passkeys.userId, own.user.id));
      if ((known?.keys ?? 0) >= MAX_PASSKEYS)
        return refused(`You have ${MAX_PASSKEYS} passkeys, which is as many as fit. Remove one first.`);
      await tx.insert(passkeys).values({ ...made, name, userId: own.user.id });
      return { ok: true };
    });
  } catch (error) {
    if (isUniqueViolation(error)) return refused("This passkey is in use already. Choose another one.");
    throw error;
  }
}

/**
 * Adds a second factor. It signs every other device out, as a new password does, and ends a change of address that may have
 * been asked for there; this session has just shown the first one.
 */
function add(
  { config: { site }, db }: ChangingApp,
  { id: sessionId, user: { id: userId } }: Session,
  kind: string,
  store: (tx: Queryable) => Promise<{ ok: true } | FieldFailure>,
): Promise<{ ok: true } | Failure | FieldFailure> {
  return db.transaction(async (tx) => {
    const owner = await lockUser(tx, userId);
    if (!owner || !(await isAlive(tx, sessionId))) return ENDED;
    const isFirst = !(await hasSecondFactor(tx, userId));
    const stored = await store(tx);
    if (!stored.ok) return stored;
    await endSessionsWithin(tx, userId, sessionId, "others");
    if (isFirst)
      await tx.update(session).set({ secondFactorAt: sql`now()` }).where(eq(session.id, sessionId));
    await enqueueMail(tx, site, factorAddedMessage(owner.email, kind, isFirst, site));
    return { ok: true };
  });
}

/**
 * Removes the app, or a passkey by its id, and signs every other device out: a lost one may be why. With the last factor the
 * recovery codes end.
 *
 * @returns whether there was such a one, and whether a second factor is left
 */
export function removeFactor(
  { config: { site }, db }: ChangingApp,
  { id: sessionId, user: { id: userId } }: Session,
  which: "app" | { passkey: string },
): Promise<"removed" | "removed the last" | "gone"> {
  return db.transaction(async (tx) => {
    const owner = await lockUser(tx, userId);
    if (!owner || !(await isAlive(tx, sessionId))) return "gone";
    const gone =
      which === "app"
        ? await tx
            .delete(authenticatorApps)
            .where(and(eq(authenticatorApps.userId, userId), isNotNull(authenticatorApps.confirmedAt)))
            .returning({ userId: authenticatorApps.userId })
        : await tx
            .delete(passkeys)
            .where(and(eq(passkeys.userId, userId), eq(passkeys.id, which.passkey)))
            .returning({ userId: passkeys.userId });
    if (gone.length === 0) return "gone";
    const isLast = !(await hasSecondFactor(tx, userId));
    await endSessionsWithin(tx, userId, sessionId, "others");
    if (isLast) await forgetFactors(tx, userId);
    const kind = which === "app" ? AN_APP : A_PASSKEY;
    await enqueueMail(tx, site, factorRemovedMessage(owner.email, kind, isLast, site));
    return isLast ? "removed the last" : "removed";
  });
}

/**
 * Makes a set of recovery codes for somebody with a second factor.
 *
 * @param form as in `makeRecoveryCodes`
 * @returns `null` when they have no second factor, or were signed out meanwhile
 */
export function renewRecoveryCodes(
  app: ChangingApp,
  { id: sessionId, user: { id: userId } }: Session,
  form: string,
): Promise<string[] | null> {
  const { site } = app.config;
  return app.db.transaction(async (tx) => {
    const owner = await lockUser(tx, userId);
    if (!owner || !(await isAlive(tx, sessionId)) || !(await hasSecondFactor(tx, userId))) return null;
    const { codes, isNew } = await makeRecoveryCodes(tx, app, userId, form);
    if (isNew) await enqueueMail(tx, site, recoveryCodesMadeMessage(owner.email, site));
    return codes;
  });
}

/**
 * Removes the whole second factor of somebody who lost everything, as an operator: signs them out everywhere, tells them,
 * and writes it into the audit log.
 *
 * @param reason in the operator's words: how they know who asks
 * @returns whether there was one
 */
export function removeSecondFactor(
  db: Database,
  site: Site,
  actor: Actor,
  { userId, reason }: { userId: string; reason?: string },
): Promise<"removed" | "none" | "gone"> {
  return db.transaction(async (tx) => {
    const owner = await lockUser(tx, userId);
    if (!owner) return "gone";
    if (!(await hasSecondFactor(tx, userId))) return "none";
    const { app, passkeys: keys, recoveryCodesLeft } = await readSecondFactor(tx, userId);
    await tx.delete(authenticatorApps).where(eq(authenticatorApps.userId, userId));
    await tx.delete(passkeys).where(eq(passkeys.userId, userId));
    await tx.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId));
    await tx.delete(session).where(eq(session.userId, userId));
    await enqueueMail(tx, site, factorRemovedForYouMessage(owner.email, site));
    await recordChange(tx, actor, {
      action: "user.second_factor_removed",
      subject: `user:${userId}`,
      before: { authenticatorApp: app !== null, passkeys: keys.length, recoveryCodesLeft },
      after: { authenticatorApp: false, passkeys: 0, recoveryCodesLeft: 0 },
      reason,
    });
    return "removed";
  });
}

/** Deletes what goes with the last factor. */
async function forgetFactors(tx: Queryable, userId: string): Promise<void> {
  await tx.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId));
  await tx.update(session).set({ secondFactorAt: null }).where(eq(session.userId, userId));
}

/** Call with the user locked, as ending sessions does. */
async function isAlive(tx: Queryable, sessionId: string): Promise<boolean> {
  const found = await tx
    .select({ id: session.id })
    .from(session)
    .where(and(eq(session.id, sessionId), isOpen));
  return found.length > 0;
}
