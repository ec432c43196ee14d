import { eq, sql } from "drizzle-orm";
import type { Database, Queryable } from "../db/client.server.ts";
import { enqueueMail } from "../mail/enqueue-mail.server.ts";
import type { Site } from "../ui/site.ts";
import { COUNT_MAIL } from "./join.server.ts";
import { welcomeMessage } from "./messages.ts";
import { waitlist } from "./schema.ts";

/**
 * Confirms a waiting place: draws its ticket and enqueues the welcome mail. Idempotent, also when the button is pressed
 * in several windows at once.
 */
export async function confirmPlace(db: Database, site: Site, token: string): Promise<void> {
  await db.transaction(async (tx) => {
    const [member] = await tx
      .update(waitlist)
      .set({
        confirmedAt: sql`now()`,
        ticket: sql`nextval('waitlist_ticket')`,
        ...COUNT_MAIL,
      })
      // FOR UPDATE makes concurrent calls re-read the row: without it they would still see the place as unconfirmed.
      .where(
        sql`${waitlist.id} = (
          SELECT id FROM ${waitlist}
          WHERE token = ${token} AND confirmed_at IS NULL AND confirm_by > now()
          FOR UPDATE
        )`,
      )
      .returning({ email: waitlist.email, token: waitlist.token, referralCode: waitlist.referralCode });
    if (member) await enqueueMail(tx, site, welcomeMessage(member, site));
  });
}

/** The state of the place with a token. `unknown`: there is none; `expired`: it was not confirmed in time. */
export type PlaceState = "unknown" | "expired" | "waiting" | "confirmed";

/** @param token `null` when the URL has none */
export async function readPlaceState(db: Queryable, token: string | null): Promise<PlaceState> {
  if (!token) return "unknown";
  const [place] = await db
    .select({
      isConfirmed: sql<boolean>`${waitlist.confirmedAt} IS NOT NULL`,
      isExpired: sql<boolean>`${waitlist.confirmBy} <= now()`,
    })
    .from(waitlist)
    .where(eq(waitlist.token, token));
  if (!place) return "unknown";
  if (place.isConfirmed) return "confirmed";
  return place.isExpired ? "expired" : "waiting";
}
