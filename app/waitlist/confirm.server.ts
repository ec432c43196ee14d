import { eq, sql } from "drizzle-orm";
import type { Database, Queryable } from "../db/client.server.ts";
import { enqueueMail } from "../mail/enqueue-mail.server.ts";
import type { Site } from "../ui/site.ts";
import { ONE_MAIL_MORE } from "./join.server.ts";
import { welcomeMessage } from "./messages.ts";
import { waitlist } from "./schema.ts";

/**
 * Makes a waiting place a confirmed one: its number on the list is drawn and its welcome is written, once, however often
 * and in however many windows the button is pressed.
 */
export async function confirmPlace(db: Database, site: Site, token: string): Promise<void> {
  await db.transaction(async (tx) => {
    const [member] = await tx
      .update(waitlist)
      .set({
        confirmedAt: sql`now()`,
        ticket: sql`nextval('waitlist_ticket')`,
        ...ONE_MAIL_MORE,
      })
      // Without the lock those who come second would still find what they saw before they had to wait.
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

/** What a token stands for: nothing, a place whose time to confirm is over, one that waits, or one that is confirmed. */
export type PlaceState = "unknown" | "expired" | "waiting" | "confirmed";

/** @param token `null`: the page was asked without one */
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
