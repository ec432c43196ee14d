import { and, eq, isNull, sql } from "drizzle-orm";
import type { Queryable } from "../db/client.server.ts";
import { waitlist } from "../db/schema.ts";

/** Deletes the address and everything with it. Friends who came by its link keep their own places. */
export async function leaveWaitlist(db: Queryable, token: string): Promise<void> {
  await db.delete(waitlist).where(eq(waitlist.token, token));
}

/** Deletes every address that was not confirmed in time. */
export async function deleteUnconfirmed(db: Queryable): Promise<void> {
  await db.delete(waitlist).where(and(isNull(waitlist.confirmedAt), sql`${waitlist.confirmBy} <= now()`));
}
