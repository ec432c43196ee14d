import { and, eq } from "drizzle-orm";
import { type Actor, recordChange } from "../audit/record-change.server.ts";
import type { Database } from "../db/client.server.ts";
import { lockUser } from "./lock-user.server.ts";
import { mailLinks, session } from "./schema.ts";

/**
 * Signs somebody out on every device, as an operator may when they ask for it. A pending change of address ends with it,
 * because it may have been asked for in one of those sessions.
 *
 * @returns how many sessions ended
 */
export async function signOutEverywhere(db: Database, actor: Actor, userId: string): Promise<number> {
  return db.transaction(async (tx) => {
    await lockUser(tx, userId);
    const ended = await tx.delete(session).where(eq(session.userId, userId)).returning({ id: session.id });
    const links = await tx
      .delete(mailLinks)
      .where(and(eq(mailLinks.userId, userId), eq(mailLinks.purpose, "change_email")))
      .returning({ purpose: mailLinks.purpose });
    if (ended.length + links.length === 0) return 0;
    await recordChange(tx, actor, {
      action: "user.signed_out",
      subject: `user:${userId}`,
      before: { sessions: ended.length, addressChanges: links.length },
      after: { sessions: 0, addressChanges: 0 },
    });
    return ended.length;
  });
}
