import { inArray, type SQL, sql } from "drizzle-orm";
import { user } from "../auth/schema.ts";
import type { Database } from "../db/client.server.ts";
import { recordErasures } from "../db/erasures.server.ts";
import { forgetMail, forgetRecipients } from "../mail/forget.server.ts";
import { lockReferrers, moveMember } from "./order.server.ts";
import { waitlist } from "./schema.ts";

/** With their data and queued mail. Friends keep their places; referrers lose the places these gave. */
export async function leaveWaitlist(db: Database, ids: string[]): Promise<void> {
  await deleteMembers(db, inArray(waitlist.id, ids), { isAskedFor: true });
}

const BATCH_SIZE = 500;

const UNCONFIRMED = sql`${waitlist.confirmedAt} IS NULL AND ${waitlist.confirmBy} <= now()`;

export async function deleteUnconfirmed(db: Database): Promise<void> {
  const overdue = db
    .select({ id: waitlist.id })
    .from(waitlist)
    .where(UNCONFIRMED)
    .limit(BATCH_SIZE)
    .for("update", { skipLocked: true });
  // Not recorded as erasures: after a restored backup this deletes them again anyway.
  while ((await deleteMembers(db, inArray(waitlist.id, overdue), { isAskedFor: false })) === BATCH_SIZE);
}

/** @returns how many were deleted */
function deleteMembers(db: Database, where: SQL, { isAskedFor }: { isAskedFor: boolean }): Promise<number> {
  return db.transaction(async (tx) => {
    // Unconfirmed members have given their referrer no places.
    if (isAskedFor) await lockReferrers(tx, where);
    const { id, email, referredBy, placesGiven } = waitlist;
    const deleted = await tx
      .select({ id, email, referredBy, placesGiven })
      .from(waitlist)
      .where(where)
      .for("update");
    const ids = deleted.map(({ id }) => id);
    if (isAskedFor) await recordErasures(tx, "waitlist", ids);
    const emails = deleted.map(({ email }) => email);
    await forgetMail(tx, emails);
    // Mails to an address with an account stay in the operator's list.
    const owners = await tx.select({ email: user.email }).from(user).where(inArray(user.email, emails));
    const accounts = new Set(owners.map(({ email }) => email));
    await forgetRecipients(
      tx,
      emails.filter((email) => !accounts.has(email)),
    );
    if (ids.length > 0) await tx.delete(waitlist).where(inArray(waitlist.id, ids));
    // Last, because it holds the lock of all moves until the end of the transaction.
    for (const { referredBy, placesGiven } of deleted)
      if (referredBy && placesGiven) await moveMember(tx, referredBy, -placesGiven);
    return deleted.length;
  });
}
