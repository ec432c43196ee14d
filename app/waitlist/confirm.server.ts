import { and, eq, gt, isNull, sql } from "drizzle-orm";
import type { Config } from "../config/config.server.ts";
import type { Database, Queryable } from "../db/client.server.ts";
import { enqueueMail } from "../mail/enqueue-mail.server.ts";
import { COUNT_MAIL } from "./join.server.ts";
import { welcomeMessage } from "./messages.ts";
import { countFriend, lockReferrers } from "./order.server.ts";
import { placeToken } from "./place-token.server.ts";
import { waitlist } from "./schema.ts";

/** Draws its ticket, moves up the referrer, and enqueues the welcome mail. Idempotent, also for concurrent presses. */
export async function confirmPlace(db: Database, config: Pick<Config, "authSecret" | "site">, id: string) {
  await db.transaction(async (tx) => {
    await lockReferrers(tx, sql`id = ${id}`);
    const isWaiting = and(
      eq(waitlist.id, id),
      isNull(waitlist.confirmedAt),
      gt(waitlist.confirmBy, sql`now()`),
    );
    // Locked before its ticket is drawn: a second press draws none.
    const [member] = await tx
      .select({ email: waitlist.email, referralCode: waitlist.referralCode })
      .from(waitlist)
      .where(isWaiting)
      .for("update");
    if (!member) return;
    const { rows } = await tx.execute<{ ticket: string }>(sql`SELECT nextval('waitlist_ticket') AS ticket`);
    const [{ ticket } = { ticket: "" }] = rows;
    await tx
      .update(waitlist)
      .set({ confirmedAt: sql`now()`, ticket: BigInt(ticket), queuePosition: ticket, ...COUNT_MAIL })
      .where(eq(waitlist.id, id));
    await countFriend(tx, id);
    const message = welcomeMessage({ ...member, token: placeToken(id, config) }, config.site);
    await enqueueMail(tx, config.site, message);
  });
}

/** `expired`: it was not confirmed in time. */
export type PlaceState = "unknown" | "expired" | "waiting" | "confirmed";

export async function readPlaceState(db: Queryable, id: string | null): Promise<PlaceState> {
  if (!id) return "unknown";
  const [place] = await db
    .select({
      isConfirmed: sql<boolean>`${waitlist.confirmedAt} IS NOT NULL`,
      isExpired: sql<boolean>`${waitlist.confirmBy} <= now()`,
    })
    .from(waitlist)
    .where(eq(waitlist.id, id));
  if (!place) return "unknown";
  if (place.isConfirmed) return "confirmed";
  return place.isExpired ? "expired" : "waiting";
}
