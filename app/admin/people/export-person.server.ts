import { type Actor, recordChange } from "../../audit/record-change.server.ts";
import { lockUser } from "../../auth/lock-user.server.ts";
import type { Database } from "../../db/client.server.ts";

/** Writes into the audit log that an operator takes a copy of somebody's data. @returns whether there is such an account */
export async function notePersonExported(db: Database, actor: Actor, userId: string): Promise<boolean> {
  return db.transaction(async (tx) => {
    if (!(await lockUser(tx, userId))) return false;
    await recordChange(tx, actor, { action: "user.exported", subject: `user:${userId}` });
    return true;
  });
}
