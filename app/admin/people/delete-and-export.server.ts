import { type Deletion, deleteAccount } from "../../account/delete-account.server.ts";
import { type Actor, recordChange } from "../../audit/record-change.server.ts";
import { lockUser } from "../../auth/users.server.ts";
import type { Database } from "../../db/client.server.ts";

/**
 * Deletes an account at its owner's request, by the same function as their own button, and records it in the audit log, in the
 * transaction that deletes the rows.
 *
 * @param shownSubscription the paid subscription that the form said will end, or `null`
 */
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

/** Writes into the audit log that an operator takes a copy of a person's data. @returns whether there is such an account */
export async function notePersonExported(db: Database, actor: Actor, userId: string): Promise<boolean> {
  return db.transaction(async (tx) => {
    if (!(await lockUser(tx, userId))) return false;
    await recordChange(tx, actor, { action: "user.exported", subject: `user:${userId}` });
    return true;
  });
}
