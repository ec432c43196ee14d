import { eq, sql } from "drizzle-orm";
import type { Config } from "../config/config.server.ts";
import type { Database, Queryable } from "../db/client.server.ts";
import { enqueueMail } from "../mail/enqueue-mail.server.ts";
import { COUNT_MAIL } from "./join.server.ts";
import { welcomeMessage } from "./messages.ts";
import { placeToken } from "./place-token.server.ts";
import { waitlist } from "./schema.ts";

/**
 * Confirms a waiting place: draws its ticket and enqueues the welcome mail. Idempotent, also when the button is pressed
 * in several windows at once.
 */
export async function confirmPlace(
  db: Database,
  config: Pick<Config, "authSecret" | "site">,
  id: string,
): Promise<void> {
  await db.transaction(async (tx) => {
    const [member] = await tx
      .update(waitlist)
      .set({
        confirmedAt: sql`now()`,
        ticket: sql`nextval('waitlist_ticket')`,
        ...COUNT_MAIL,
      })
      // Locked before its ticket is drawn: an UPDATE that finds out afterwards that it came second has drawn one, too.
      .where(
        sql`${waitlist.id} = (
          SELECT id FROM ${waitlist} WHERE id = ${id} AND confirmed_at IS NULL AND confirm_by > now() FOR UPDATE
        )`,
      )
      .returning({ email: waitlist.email, referralCode: waitlist.referralCode });
    if (!member) return;
    const message = welcomeMessage({ ...member, token: placeToken(id, config) }, config.site);
    await enqueueMail(tx, config.site, message);
  });
}

/** The state of a place. `unknown`: there is none; `expired`: it was not confirmed in time. */
export type PlaceState = "unknown" | "expired" | "waiting" | "confirmed";

/** @param id `null` when the link names none */
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
