import { randomUUID } from "node:crypto";
import Bowser from "bowser";
import { and, count, desc, eq, gt, ne, sql } from "drizzle-orm";
import type { Database, Queryable } from "../db/client.server.ts";
import { prepareOnce } from "../db/prepare.server.ts";
import { createSecretToken, hashSecret } from "../http/secret-token.server.ts";
import { mailLinks, session, user } from "./schema.ts";
import { hasSecondFactor } from "./second-factor/read-factors.server.ts";
import { lockUser, SESSION_USER_COLUMNS, type SessionUser } from "./users.server.ts";

/** How long a session lasts after it was last renewed. */
export const SESSION_DAYS = 30;

/** How often it is renewed while it is used. The list of sessions knows no better when each was last seen. */
const RENEWAL_MINUTES = 10;

/** How long after it began a session ends, however often it was renewed (OWASP ASVS 7.3.2). */
const LONGEST_SESSION_DAYS = 90;

/** How long a sign-in waits for its second factor. */
export const PENDING_MINUTES = 10;

/** The end of a session that is renewed now. */
const expiresAt = sql`now() + make_interval(days => ${SESSION_DAYS}::int)`;
const pendingUntil = sql`now() + make_interval(mins => ${PENDING_MINUTES}::int)`;

/** When a session has to have begun. */
const oldestBeginning = sql`now() - make_interval(days => ${LONGEST_SESSION_DAYS}::int)`;

/** A session that has not ended and does not wait for a second factor. */
export const isOpen = and(
  gt(session.expiresAt, sql`now()`),
  gt(session.createdAt, oldestBeginning),
  eq(session.needsSecondFactor, false),
);

/** A session and whose it is. The id is no secret; the token that is never leaves the cookie. */
export interface Session {
  id: string;
  user: SessionUser;
}

/** A session that was just opened. */
interface NewSession {
  id: string;
  /** The value of its cookie: a secret. */
  token: string;
  /** Whether it signs no user in until a second factor is shown. */
  needsSecondFactor: boolean;
}

/**
 * Opens a session; that of a user with a second factor waits PENDING_MINUTES for it. The user is locked meanwhile, as where a factor
 * is added: otherwise a session opened in that moment would know of none.
 *
 * @returns `null` when there is no such user any more
 */
export function createSession(
  db: Database,
  userId: string,
  userAgent: string | null,
): Promise<NewSession | null> {
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

/** The live session with this token, renewed when that is due. */
export async function findAndRenewSession(
  db: Queryable,
  token: string,
): Promise<(Session & { isRenewed: boolean }) | null> {
  const [found] = await findByToken(db).execute({ tokenHash: hashSecret(token) });
  if (!found) return null;
  const { isDue, ...own } = found;
  // It may end while it is renewed.
  if (isDue && !(await renewSession(db, own.id))) return null;
  return { ...own, isRenewed: isDue };
}

async function renewSession(db: Queryable, id: string): Promise<boolean> {
  const renewed = await db
    .update(session)
    .set({
      expiresAt: sql`least(${expiresAt}, ${session.createdAt} + make_interval(days => ${LONGEST_SESSION_DAYS}::int))`,
      updatedAt: sql`now()`,
    })
    .where(eq(session.id, id))
    .returning({ id: session.id });
  return renewed.length > 0;
}

/** Whether a session is still open. Call with its user locked, as where sessions end. */
export async function isSessionAlive(
  tx: Queryable,
  { id, user: owner }: { id: string; user: { id: string } },
): Promise<boolean> {
  const alive = await tx
    .select({ id: session.id })
    .from(session)
    .where(and(eq(session.id, id), eq(session.userId, owner.id), isOpen));
  return alive.length > 0;
}

/** A session that waits for a second factor. */
const isPending = and(eq(session.needsSecondFactor, true), gt(session.expiresAt, sql`now()`));

/** The waiting session with this token. */
export async function findPendingSession(db: Queryable, token: string): Promise<Session | null> {
  const [found] = await db
    .select({ id: session.id, user: SESSION_USER_COLUMNS })
    .from(session)
    .innerJoin(user, eq(user.id, session.userId))
    .where(and(eq(session.tokenHash, hashSecret(token)), isPending));
  return found ?? null;
}

/** Opens a waiting session under a new token. @returns the token; `null` when it has ended, or is open by now */
export async function completeSession(tx: Queryable, id: string): Promise<string | null> {
  const token = createSecretToken();
  const opened = await tx
    .update(session)
    .set({
      tokenHash: hashSecret(token),
      needsSecondFactor: false,
      secondFactorAt: sql`now()`,
      updatedAt: sql`now()`,
      expiresAt,
    })
    .where(and(eq(session.id, id), isPending))
    .returning({ id: session.id });
  return opened.length > 0 ? token : null;
}

/** Ends one session, if it has not ended. */
export async function deleteSession(db: Queryable, by: { id: string } | { token: string }): Promise<void> {
  const isIt = "id" in by ? eq(session.id, by.id) : eq(session.tokenHash, hashSecret(by.token));
  await db.delete(session).where(isIt);
}

/** Ends a sign-in that waits for its second factor; one that is open stays. */
export async function deletePendingSession(db: Queryable, token: string): Promise<void> {
  await db
    .delete(session)
    .where(and(eq(session.tokenHash, hashSecret(token)), eq(session.needsSecondFactor, true)));
}

/** A user's sessions, the latest seen first. */
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

/** The number of a user's sessions. */
export async function countSessions(db: Queryable, userId: string): Promise<number> {
  const [counted] = await db
    .select({ count: count() })
    .from(session)
    .where(and(eq(session.userId, userId), isOpen));
  return counted?.count ?? 0;
}

/** In characters; browsers send 100 to 300, and patterns take longer for longer text. */
const LONGEST_USER_AGENT = 500;

/** The browser and system of a user agent, in words: "Firefox on Linux". */
export function deviceOf(userAgent: string | null): string {
  if (!userAgent) return "Unknown device";
  const { browser, os } = Bowser.parse(userAgent.slice(0, LONGEST_USER_AGENT));
  if (!browser.name && !os.name) return "Unknown device";
  return `${browser.name || "A browser"} on ${os.name || "an unknown system"}`;
}

/** Signs a user out elsewhere: see `endSessionsWithin`. */
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

/** Ends one other session, or all, of a locked user, and a pending change of address, which may have been requested from there. */
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
