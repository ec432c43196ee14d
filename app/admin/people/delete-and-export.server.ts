import { type Deletion, deleteAccount } from "../../account/delete-account.server.ts";
import { type Actor, recordChange } from "../../audit/record-change.server.ts";
import { lockUser } from "../../auth/users.server.ts";
import type { Database } from "../../db/client.server.ts";

/** As its owner's own button, audited in the same transaction. @param shownSubscription the one the form said will end */
export function deletePerson(
  app: Parameters<typeof deleteAccount>[0],
  actor: Actor,
  userId: string,
  shownSubscription: string | null,
  reason: string,
): Promise<Deletion> {
  return deleteAccount(app, userId, shownSubscription, {
    alsoWrite: (tx) =>
      recordChange(tx, actor, {
        action: "user.deleted",
        subject: `user:${userId}`,
        before: { paidSubscription: shownSubscription },
        reason,
      }),
  });
}

/** @returns whether there is such an account */
export async function notePersonExported(db: Database, actor: Actor, userId: string): Promise<boolean> {
  return db.transaction(async (tx) => {
    if (!(await lockUser(tx, userId))) return false;
    await recordChange(tx, actor, { action: "user.exported", subject: `user:${userId}` });
    return true;
  });
}
