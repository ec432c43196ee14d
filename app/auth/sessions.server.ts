import { randomUUID } from "node:crypto";
import { and, desc, eq, gt, ne, sql } from "drizzle-orm";
import type { Database, Queryable } from "../db/client.server.ts";
import { isForeignKeyViolation } from "../db/constraint-errors.server.ts";
import { createSecretToken, hashSecret } from "../http/secret-token.server.ts";
import { deviceOf } from "./device.ts";
import { lockUser } from "./lock-user.server.ts";
import { mailLinks, session, user } from "./schema.ts";

/** How long a session lasts after it was last renewed. */
export const SESSION_DAYS = 30;

/** How often it is renewed while it is used. The list of sessions knows no better when each was last seen. */
const RENEWAL_MINUTES = 10;

const expiresAt = sql`now() + make_interval(days => ${SESSION_DAYS}::int)`;

export interface SignedInUser {
  id: string;
  name: string;
  email: string;
  emailVerified: boolean;
  /** The address of their photo. */
  image: string | null;
}

/** The columns of `SignedInUser`. */
export const SIGNED_IN_USER_COLUMNS = {
  id: user.id,
  name: user.name,
  email: user.email,
  emailVerified: user.emailVerified,
  image: user.image,
};

/** A session and whose it is. The id is no secret; the token that is never leaves the cookie. */
export interface Session {
  id: string;
  user: SignedInUser;
}

/** @returns the id and the secret token of a new session; `null` when there is no such user any more */
export async function createSession(
  db: Database,
  userId: string,
  userAgent: string | null,
): Promise<{ id: string; token: string } | null> {
  const [id, token] = [randomUUID(), createSecretToken()];
  try {
    await db.insert(session).values({ id, tokenHash: hashSecret(token), userId, userAgent, expiresAt });
    return { id, token };
  } catch (error) {
    if (isForeignKeyViolation(error)) return null;
    throw error;
  }
}

/** The live session with this token, renewed when that is due. */
export async function findAndRenewSession(
  db: Queryable,
  token: string,
): Promise<(Session & { isRenewed: boolean }) | null> {
  const [found] = await db
    .select({
      id: session.id,
      user: SIGNED_IN_USER_COLUMNS,
      isDue: sql<boolean>`${session.expiresAt} < ${expiresAt} - make_interval(mins => ${RENEWAL_MINUTES}::int)`,
    })
    .from(session)
    .innerJoin(user, eq(user.id, session.userId))
    .where(and(eq(session.tokenHash, hashSecret(token)), gt(session.expiresAt, sql`now()`)));
  if (!found) return null;
  const { isDue, ...own } = found;
  // It may end while it is renewed.
  return isDue && !(await renewSession(db, own.id)) ? null : { ...own, isRenewed: isDue };
}

async function renewSession(db: Queryable, id: string): Promise<boolean> {
  const renewed = await db
    .update(session)
    .set({ expiresAt, updatedAt: sql`now()` })
    .where(eq(session.id, id))
    .returning({ id: session.id });
  return renewed.length > 0;
}

/** Ends one session, if it has not ended. */
export async function deleteSession(db: Queryable, by: { id: string } | { token: string }): Promise<void> {
  const isIt = "id" in by ? eq(session.id, by.id) : eq(session.tokenHash, hashSecret(by.token));
  await db.delete(session).where(isIt);
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
    .where(and(eq(session.userId, userId), gt(session.expiresAt, sql`now()`)))
    .orderBy(desc(session.updatedAt), desc(session.id));
  return rows.map(({ userAgent, ...row }) => ({ ...row, device: deviceOf(userAgent) }));
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
    await tx
      .delete(session)
      .where(
        and(
          eq(session.userId, userId),
          ne(session.id, own),
          which === "others" ? undefined : eq(session.id, which.id),
        ),
      );
    await tx
      .delete(mailLinks)
      .where(and(eq(mailLinks.userId, userId), eq(mailLinks.purpose, "change_email")));
  });
}
