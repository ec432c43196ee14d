import { randomUUID } from "node:crypto";
import Bowser from "bowser";
import { and, desc, eq, gt, ne, sql } from "drizzle-orm";
import type { Database, Queryable } from "../db/client.server.ts";
import { prepareOnce } from "../db/prepare.server.ts";
import { createSecretToken, hashSecret } from "../http/secret-token.server.ts";
import { mailLinks, session, user } from "./schema.ts";
import { hasSecondFactor } from "./second-factor/read-factors.server.ts";
import { lockUser, SESSION_USER_COLUMNS, type SessionUser } from "./users.server.ts";

/** Since it was last renewed. */
export const SESSION_DAYS = 30;

/** Also the precision of "last seen". */
const RENEWAL_MINUTES = 10;

/** Since it began, however often it was renewed (OWASP ASVS 7.3.2). */
const LONGEST_SESSION_DAYS = 90;

export const PENDING_MINUTES = 10;

const expiresAt = sql`now() + make_interval(days => ${SESSION_DAYS}::int)`;
const pendingUntil = sql`now() + make_interval(mins => ${PENDING_MINUTES}::int)`;

const oldestBeginning = sql`now() - make_interval(days => ${LONGEST_SESSION_DAYS}::int)`;

/** Neither ended nor waiting for a second factor. */
export const isOpen = and(
  gt(session.expiresAt, sql`now()`),
  gt(session.createdAt, oldestBeginning),
  eq(session.needsSecondFactor, false),
);

/** The id is no secret; the token never leaves the cookie. */
export interface Session {
  id: string;
  user: SessionUser;
}

/** With the user locked, as where a factor is added, so that it waits for that factor. @returns `null`: there is no such user */
export function createSession(db: Database, userId: string, userAgent: string | null) {
  const [id, token] = [randomUUID(), createSecretToken()];
  return db.transaction(async (tx) => {
    const owner = await tx.select({ id: user.id }).from(user).where(eq(user.id, userId)).for("key share");
    if (owner.length === 0) return null;
    const needsSecondFactor = await hasSecondFactor(tx, userId);
    await tx.insert(session).values({
      id,
      tokenHash: hashSecret(token),
      userId,
      userAgent,
      needsSecondFactor,
      expiresAt: needsSecondFactor ? pendingUntil : expiresAt,
    });
    return { id, token, needsSecondFactor };
  });
}

const findByToken = prepareOnce((db) =>
  db
    .select({
      id: session.id,
      user: SESSION_USER_COLUMNS,
      isDue: sql<boolean>`${session.updatedAt} < now() - make_interval(mins => ${RENEWAL_MINUTES}::int)`,
    })
    .from(session)
    .innerJoin(user, eq(user.id, session.userId))
    .where(and(eq(session.tokenHash, sql.placeholder("tokenHash")), isOpen))
    .prepare("find_session"),
);

export async function findAndRenewSession(db: Queryable, token: string) {
  const [found] = await findByToken(db).execute({ tokenHash: hashSecret(token) });
  if (!found) return null;
  const { isDue, ...own } = found;
  if (!isDue) return { ...own, isRenewed: false };
  const longest = sql`${session.createdAt} + make_interval(days => ${LONGEST_SESSION_DAYS}::int)`;
  const { rowCount } = await db
    .update(session)
    .set({ expiresAt: sql`least(${expiresAt}, ${longest})`, updatedAt: sql`now()` })
    .where(eq(session.id, own.id));
  // It may have ended meanwhile.
  return rowCount ? { ...own, isRenewed: true } : null;
}

/** Call with its user locked, as where sessions end. */
export async function isSessionAlive(
  tx: Queryable,
  { id, user: owner }: { id: string; user: { id: string } },
): Promise<boolean> {
  return (await tx.$count(session, and(eq(session.id, id), eq(session.userId, owner.id), isOpen))) > 0;
}

const isPending = and(eq(session.needsSecondFactor, true), gt(session.expiresAt, sql`now()`));

export async function findPendingSession(db: Queryable, token: string): Promise<Session | null> {
  const [found] = await db
    .select({ id: session.id, user: SESSION_USER_COLUMNS })
    .from(session)
    .innerJoin(user, eq(user.id, session.userId))
    .where(and(eq(session.tokenHash, hashSecret(token)), isPending));
  return found ?? null;
}

/** @returns the new token; `null` when it has ended, or is open by now */
export async function completeSession(tx: Queryable, id: string): Promise<string | null> {
  const token = createSecretToken();
  const { rowCount } = await tx
    .update(session)
    .set({
      tokenHash: hashSecret(token),
      needsSecondFactor: false,
      secondFactorAt: sql`now()`,
      updatedAt: sql`now()`,
      expiresAt,
    })
    .where(and(eq(session.id, id), isPending));
  return rowCount ? token : null;
}

export async function deleteSession(db: Queryable, by: { id: string } | { token: string }): Promise<void> {
  const isIt = "id" in by ? eq(session.id, by.id) : eq(session.tokenHash, hashSecret(by.token));
  await db.delete(session).where(isIt);
}

/** One that is open stays. */
export async function deletePendingSession(db: Queryable, token: string): Promise<void> {
  await db
    .delete(session)
    .where(and(eq(session.tokenHash, hashSecret(token)), eq(session.needsSecondFactor, true)));
}

/** The latest seen first. */
export async function listSessions(db: Queryable, userId: string) {
  const rows = await db
    .select({
      id: session.id,
      userAgent: session.userAgent,
      since: session.createdAt,
      lastSeen: session.updatedAt,
    })
    .from(session)
    .where(and(eq(session.userId, userId), isOpen))
    .orderBy(desc(session.updatedAt), desc(session.id));
  return rows.map(({ userAgent, ...row }) => ({ ...row, device: deviceOf(userAgent) }));
}

export async function countSessions(db: Queryable, userId: string): Promise<number> {
  return db.$count(session, and(eq(session.userId, userId), isOpen));
}

/** In characters; browsers send 100 to 300, and patterns take longer for longer text. */
const LONGEST_USER_AGENT = 500;

/** "Firefox on Linux" */
export function deviceOf(userAgent: string | null): string {
  if (!userAgent) return "Unknown device";
  const { browser, os } = Bowser.parse(userAgent.slice(0, LONGEST_USER_AGENT));
  if (!browser.name && !os.name) return "Unknown device";
  return `${browser.name || "A browser"} on ${os.name || "an unknown system"}`;
}

/** See `endSessionsWithin`. */
export async function endSessions(
  db: Database,
  userId: string,
  own: string,
  which: { id: string } | "others",
): Promise<void> {
  await db.transaction(async (tx) => {
    await lockUser(tx, userId);
    await endSessionsWithin(tx, userId, own, which);
  });
}

/** Of a locked user. Also ends a pending change of address, which may have been requested from there. */
export async function endSessionsWithin(
  tx: Queryable,
  userId: string,
  own: string,
  which: { id: string } | "others",
): Promise<void> {
  const isOther = and(eq(session.userId, userId), ne(session.id, own));
  await tx.delete(session).where(which === "others" ? isOther : and(isOther, eq(session.id, which.id)));
  await tx.delete(mailLinks).where(and(eq(mailLinks.userId, userId), eq(mailLinks.purpose, "change_email")));
}
