import { and, eq, inArray, isNull, type SQL, sql } from "drizzle-orm";
import type { Database } from "../db/client.server.ts";
import { forgetMail } from "../mail/forget.server.ts";
import type { Site } from "../ui/site.ts";
import { linksOf } from "./links.ts";
import { waitlist } from "./schema.ts";

/** Deletes the address and everything with it, mail on its way out included. Friends who came by its link keep their places. */
export async function leaveWaitlist(db: Database, site: Site, token: string): Promise<void> {
  await deleteMembers(db, site, eq(waitlist.token, token));
}

/** How many addresses one transaction of the sweep deletes at most. */
const BATCH = 500;

/** Deletes every address that was not confirmed in time. */
export async function deleteUnconfirmed(db: Database, site: Site): Promise<void> {
  const overdue = db
    .select({ id: waitlist.id })
    .from(waitlist)
    .where(and(isNull(waitlist.confirmedAt), sql`${waitlist.confirmBy} <= now()`))
    .limit(BATCH)
    .for("update", { skipLocked: true });
  while ((await deleteMembers(db, site, inArray(waitlist.id, overdue))) === BATCH);
}

/** @returns how many */
function deleteMembers(db: Database, site: Site, which: SQL): Promise<number> {
  return db.transaction(async (tx) => {
    const gone = await tx.delete(waitlist).where(which).returning({ token: waitlist.token });
    await forgetMail(
      tx,
      gone.map(({ token }) => linksOf(token, site).leave),
    );
    return gone.length;
  });
}
