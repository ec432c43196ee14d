import { and, eq, isNotNull, sql } from "drizzle-orm";
import { redirect } from "react-router";
import { type Actor, recordChange } from "../../audit/record-change.server.ts";
import type { Database, Queryable } from "../../db/client.server.ts";
import { isUniqueViolation } from "../../db/constraint-errors.server.ts";
import { type App, fromContext } from "../../http/context.server.ts";
import { type Failure, type FieldFailure, failure } from "../../http/errors.ts";
import { withLimit } from "../../limits/rate-limit.server.ts";
import { enqueueMail } from "../../mail/enqueue-mail.server.ts";
import type { Site } from "../../ui/site.ts";
import { AUTH_LIMITS } from "../limits.ts";
import { returnToOf } from "../person-fields.server.ts";
import { authenticatorApps, passkeys, recoveryCodes, session } from "../schema.ts";
import { type RouteArgs, requireFreshSession } from "../session.server.ts";
import { endSessionsWithin, isSessionAlive, type Session } from "../sessions.server.ts";
import { lockUser } from "../users.server.ts";
import { confirmApp, digitsOf } from "./authenticator-app.server.ts";
import {
  factorAddedMessage,
  factorRemovedForYouMessage,
  factorRemovedMessage,
  recoveryCodesMadeMessage,
} from "./messages.ts";
import { MAX_PASSKEYS, verifyNewPasskey } from "./passkeys.server.ts";
import { hasSecondFactor, readSecondFactor } from "./read-factors.server.ts";
import { makeRecoveryCodes } from "./recovery-codes.server.ts";

const PATH = "/account/second-factor";

/** With a confirmed address: a stranger's factor would lock the owner out. @throws as `requireFreshSession`; a redirect */
export async function requireOwner(args: RouteArgs): Promise<Session> {
  const session = await requireFreshSession(args);
  if (session.user.emailVerified) return session;
  throw redirect(pathTo(args, ""), 303);
}

/** @param said the notice to show, a key of NOTICES */
export function pathTo(args: RouteArgs, page: "" | "/app" | "/passkey" | "/codes", said?: string): string {
  const query = new URLSearchParams();
  if (said) query.set("said", said);
  const returnTo = returnToOf(args, "");
  if (returnTo) query.set("return_to", returnTo);
  return query.size > 0 ? `${PATH}${page}?${query}` : PATH + page;
}

/** Recovery codes first for a user without any. */
export async function pathAfterAdding(args: RouteArgs, { user }: Session, added: "app" | "passkey") {
  const { recoveryCodesLeft } = await readSecondFactor(fromContext(args.context).app.db, user.id);
  return pathTo(args, recoveryCodesLeft > 0 ? "" : "/codes", added);
}

/** Each change writes a mail. Failures: 429 too many. */
export function withChangeLimit<Done>(args: RouteArgs, { user }: Session, change: () => Promise<Done>) {
  const { app } = fromContext(args.context);
  return withLimit(app, AUTH_LIMITS.secondFactorChangesByUser, user.id, change);
}

type ChangingApp = Pick<App, "config" | "db">;

/** What mails call them. */
const NAMES = { app: "an authenticator app", passkey: "a passkey" };

const ENDED = failure(401, "You’ve been signed out, so nothing was changed.");

async function lockOwner(tx: Queryable, own: Session) {
  const owner = await lockUser(tx, own.user.id);
  return owner && (await isSessionAlive(tx, own)) ? owner : null;
}

/** Failures: 400 of the field `otp`: not its code; 401 the session has ended. */
export function addAuthenticatorApp(app: ChangingApp, own: Session, code: string) {
  return add(app, own, "app", async (tx) =>
    (await confirmApp(tx, app, own.user.id, digitsOf(code)))
      ? { ok: true }
      : { ...failure(400, "Wrong code. Enter the one your app shows right now."), field: "otp" },
  );
}

/** Failures: 400 of the field `passkey`; 401 the session has ended. */
export async function addPasskey(
  app: ChangingApp,
  own: Session,
  { name, passkey }: { name: string; passkey: string },
): Promise<{ ok: true } | Failure | FieldFailure> {
  const refused = (message: string) => ({ ...failure(400, message), field: "passkey" });
  try {
    return await add(app, own, "passkey", async (tx) => {
      const made = await verifyNewPasskey(tx, app.config, own.id, passkey);
      if (!made) return refused("That took too long, or didn’t work. Try again.");
      if ((await tx.$count(passkeys, eq(passkeys.userId, own.user.id))) >= MAX_PASSKEYS)
        return refused(`You have ${MAX_PASSKEYS} passkeys, which is as many as fit. Remove one first.`);
      await tx.insert(passkeys).values({ ...made, name, userId: own.user.id });
      return { ok: true };
    });
  } catch (error) {
    if (isUniqueViolation(error)) return refused("This passkey is in use already. Choose another one.");
    throw error;
  }
}

/** Signs every other device out, as a new password does. */
function add(
  { config: { site }, db }: ChangingApp,
  own: Session,
  kind: keyof typeof NAMES,
  store: (tx: Queryable) => Promise<{ ok: true } | FieldFailure>,
): Promise<{ ok: true } | Failure | FieldFailure> {
  return db.transaction(async (tx) => {
    const owner = await lockOwner(tx, own);
    if (!owner) return ENDED;
    const isFirst = !(await hasSecondFactor(tx, owner.id));
    const stored = await store(tx);
    if (!stored.ok) return stored;
    await endSessionsWithin(tx, owner.id, own.id, "others");
    // This session has just shown it.
    if (isFirst) await tx.update(session).set({ secondFactorAt: sql`now()` }).where(eq(session.id, own.id));
    await enqueueMail(tx, site, factorAddedMessage(owner.email, NAMES[kind], isFirst, site));
    return { ok: true };
  });
}

/** Removes the app, or a passkey by its id, and signs every other device out. With the last factor the recovery codes end: `off`. */
export function removeFactor(
  { config: { site }, db }: ChangingApp,
  own: Session,
  which: "app" | { passkey: string },
): Promise<"removed" | "off" | "gone"> {
  return db.transaction(async (tx) => {
    const owner = await lockOwner(tx, own);
    if (!owner) return "gone";
    const { id } = owner;
    const { rowCount } = await (which === "app"
      ? tx
          .delete(authenticatorApps)
          .where(and(eq(authenticatorApps.userId, id), isNotNull(authenticatorApps.confirmedAt)))
      : tx.delete(passkeys).where(and(eq(passkeys.userId, id), eq(passkeys.id, which.passkey))));
    if (!rowCount) return "gone";
    const isLast = !(await hasSecondFactor(tx, id));
    await endSessionsWithin(tx, id, own.id, "others");
    if (isLast) {
      await tx.delete(recoveryCodes).where(eq(recoveryCodes.userId, id));
      await tx.update(session).set({ secondFactorAt: null }).where(eq(session.userId, id));
    }
    const kind = which === "app" ? NAMES.app : NAMES.passkey;
    await enqueueMail(tx, site, factorRemovedMessage(owner.email, kind, isLast, site));
    return isLast ? "off" : "removed";
  });
}

/** @returns `null` without a second factor, or signed out meanwhile */
export function renewRecoveryCodes(app: ChangingApp, own: Session, form: string): Promise<string[] | null> {
  const { site } = app.config;
  return app.db.transaction(async (tx) => {
    const owner = await lockOwner(tx, own);
    if (!owner || !(await hasSecondFactor(tx, owner.id))) return null;
    const { codes, isNew } = await makeRecoveryCodes(tx, app, owner.id, form);
    if (isNew) await enqueueMail(tx, site, recoveryCodesMadeMessage(owner.email, site));
    return codes;
  });
}

export async function deleteFactors(tx: Queryable, userId: string): Promise<void> {
  for (const table of [authenticatorApps, passkeys, recoveryCodes])
    await tx.delete(table).where(eq(table.userId, userId));
}

/** As an operator; signs the user out everywhere. @param reason how the operator knows them */
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
    await deleteFactors(tx, userId);
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
