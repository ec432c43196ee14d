import { randomUUID } from "node:crypto";
import { and, count, desc, eq, gt, ne, sql } from "drizzle-orm";
import type { Database, Queryable } from "../db/client.server.ts";
import { prepareOnce } from "../db/prepare.server.ts";
import { createSecretToken, hashSecret } from "../http/secret-token.server.ts";
import { deviceOf } from "./device.server.ts";
import { lockUser } from "./lock-user.server.ts";
import { mailLinks, session, user } from "./schema.ts";
import { hasSecondFactor } from "./second-factor/has-second-factor.server.ts";

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

/** A session that has not ended, and by which somebody is signed in. */
export const isOpen = and(
  gt(session.expiresAt, sql`now()`),
  gt(session.createdAt, oldestBeginning),
  eq(session.needsSecondFactor, false),
);

export interface SignedInUser {
  id: string;
  name: string;
  email: string;
  emailVerified: boolean;
  /** The address of their photo. */
  image: string | null;
  /** By its IANA name; `null`: their browser never told. */
  timeZone: string | null;
}

/** The columns of `SignedInUser`. */
export const SIGNED_IN_USER_COLUMNS = {
  id: user.id,
  name: user.name,
  email: user.email,
  emailVerified: user.emailVerified,
  image: user.image,
  timeZone: user.timeZone,
};

/** A session and whose it is. The id is no secret; the token that is never leaves the cookie. */
export interface Session {
  id: string;
  user: SignedInUser;
}

/** A session that was just opened. */
export interface NewSession {
  id: string;
  /** What its cookie holds: a secret. */
  token: string;
  /** Whether nobody is signed in by it until a second factor is shown. */
  needsSecondFactor: boolean;
}

/**
 * Opens a session. That of a user with a second factor waits PENDING_MINUTES for it. The user is locked while we look, as
 * it is while a factor is added: otherwise a session opened in that moment would know of none.
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
      user: SIGNED_IN_USER_COLUMNS,
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

/** The user of a session that waits for a second factor, by its token. */
export async function findPendingSession(db: Queryable, token: string): Promise<Session | null> {
  const [found] = await db
    .select({ id: session.id, user: SIGNED_IN_USER_COLUMNS })
    .from(session)
    .innerJoin(user, eq(user.id, session.userId))
    .where(
      and(
        eq(session.tokenHash, hashSecret(token)),
        gt(session.expiresAt, sql`now()`),
        eq(session.needsSecondFactor, true),
      ),
    );
  return found ?? null;
}

/**
 * Signs the user of a waiting session in: its second factor was shown. Under a new token, so that whoever knew the old one,
 * and had somebody else show theirs, has nothing.
 *
 * @returns the token; `null` when the session has ended, or is open by now
 */
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
    .where(and(eq(session.id, id), eq(session.needsSecondFactor, true), gt(session.expiresAt, sql`now()`)))
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

/** Where a user is signed in. The ids are no secrets. */
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

/** In how many places a user is signed in. */
export async function countSessions(db: Queryable, userId: string): Promise<number> {
  const [counted] = await db
    .select({ count: count() })
    .from(session)
    .where(and(eq(session.userId, userId), isOpen));
  return counted?.count ?? 0;
}

/**
 * Signs a user out elsewhere; sessions of other users are left alone. A pending change of address ends with it, because
 * it may have been requested from one of those sessions.
 *
 * @param own the session that stays
 * @param which one session, or all others
 */
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

/** The same in the caller's own transaction, with the user locked. */
export async function endSessionsWithin(
  tx: Queryable,
  userId: string,
  own: string,
  which: { id: string } | "others",
): Promise<void> {
  await tx
    .delete(session)
    .where(
      and(
        eq(session.userId, userId),
        ne(session.id, own),
        which === "others" ? undefined : eq(session.id, which.id),
      ),
    );
  await tx.delete(mailLinks).where(and(eq(mailLinks.userId, userId), eq(mailLinks.purpose, "change_email")));
}
