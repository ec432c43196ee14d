import { eq, sql } from "drizzle-orm";
import type { Config } from "../config/config.server.ts";
import type { Database, Queryable } from "../db/client.server.ts";
import { createGatherer, patienceOver } from "../db/gather.server.ts";
import { onePerDatabase } from "../db/per-database.server.ts";
import { enqueueMails } from "../mail/enqueue-mail.server.ts";
import { COUNT_MAIL } from "./join.server.ts";
import { welcomeMessage } from "./messages.ts";
import { placeToken } from "./place-token.server.ts";
import { waitlist } from "./schema.ts";

/** Confirmations of a transaction: more make it no quicker, and each waits for all of them. */
const MOST_AT_ONCE = 64;

/** A place to confirm, and the site that says welcome. */
interface Confirmation {
  config: Pick<Config, "authSecret" | "site">;
  id: string;
}

type Confirm = (confirmation: Confirmation) => Promise<void>;

/**
 * Confirms a waiting place: draws its ticket and enqueues the welcome mail. Idempotent, also when the button is pressed
 * in several windows at once. Places that are confirmed at the same moment share a transaction: those who were brought by somebody
 * change the order of the list one after the other, and would each wait for the disk before the next (decision 0067).
 */
export function confirmPlace(db: Database, config: Confirmation["config"], id: string): Promise<void> {
  return confirmOver(db)({ config, id });
}

const confirmOver = onePerDatabase((db): Confirm => {
  return createGatherer<Confirmation, void>({
    most: MOST_AT_ONCE,
    // One after the other: a second would only wait for the order that the first one changes, and halve the batches.
    atOnce: 1,
    ...patienceOver(db),
    run: async (all) => {
      const confirmed = await confirmAll(db, all, "SKIP LOCKED");
      // There is nothing to confirm, or somebody else is at it: which of the two it is, each finds out and waits for alone.
      return all.map((each) =>
        confirmed.has(each.id) ? undefined : confirmAll(db, [each], "").then(() => undefined),
      );
    },
  });
});

/** @returns the ids of the places that this confirmed */
async function confirmAll(
  db: Database,
  all: readonly Confirmation[],
  locking: "" | "SKIP LOCKED",
): Promise<Set<string>> {
  const configs = new Map(all.map(({ config, id }) => [id, config]));
  return db.transaction(async (tx) => {
    const members = await tx
      .update(waitlist)
      .set({
        confirmedAt: sql`now()`,
        ticket: sql`nextval('waitlist_ticket')`,
        ...COUNT_MAIL,
      })
      // FOR UPDATE makes concurrent calls re-read the row: without it they would still see the place as unconfirmed. By id, so that
      // no two that wait for several places wait for each other.
      .where(
        sql`${waitlist.id} IN (
          SELECT id FROM ${waitlist}
          WHERE id = ANY (${sql.param([...configs.keys()])}::text[]) AND confirmed_at IS NULL AND confirm_by > now()
          ORDER BY id FOR UPDATE ${sql.raw(locking)}
        )`,
      )
      .returning({ id: waitlist.id, email: waitlist.email, referralCode: waitlist.referralCode });
    for (const config of new Set(configs.values())) {
      const ofSite = members.filter(({ id }) => configs.get(id) === config);
      await enqueueMails(
        tx,
        config.site,
        ofSite.map((member) =>
          welcomeMessage({ ...member, token: placeToken(member.id, config) }, config.site),
        ),
      );
    }
    return new Set(members.map(({ id }) => id));
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
