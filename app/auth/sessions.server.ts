import { and, desc, eq, gt, ne, sql } from "drizzle-orm";
import type { Database, Queryable } from "../db/client.server.ts";
import { deviceOf } from "./device.ts";
import { lockUser } from "./lock-user.server.ts";
import { mailLinks, session } from "./schema.ts";

/** Where a user is signed in. The ids are no secrets, and the tokens stay where they are. */
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
 * Signs a user out elsewhere; one of somebody else's sessions is left alone. A change of address that is under way ends
 * with it: whoever is signed out may have asked for it.
 *
 * @param which a session, or all but `mine`
 */
export async function endSessions(
  db: Database,
  userId: string,
  mine: string,
  which: { id: string } | "others",
): Promise<void> {
  await db.transaction(async (tx) => {
    await lockUser(tx, userId);
    await tx
      .delete(session)
      .where(
        and(
          eq(session.userId, userId),
          ne(session.id, mine),
          which === "others" ? undefined : eq(session.id, which.id),
        ),
      );
    await tx
      .delete(mailLinks)
      .where(and(eq(mailLinks.userId, userId), eq(mailLinks.purpose, "change_email")));
  });
}
