import { sql } from "drizzle-orm";
import type { Queryable } from "../db/client.server.ts";
import type { ConsoleFrame } from "../ui/route-handle.ts";

type OpenWork = ConsoleFrame["openWork"];

/** A tab says no more than that there are more than 99. */
const MOST_COUNTED = 100;

/**
 * For the tabs of every page of the console: at most MOST_COUNTED of each, by index.
 * @returns failing mails with those given up in the last week, as on the overview; failing mails are failing jobs, too
 */
export async function readOpenWork(db: Queryable): Promise<OpenWork> {
  const { rows } = await db.execute<{ work: OpenWork }>(sql`
    WITH failing AS (
      SELECT kind FROM outbox WHERE done_at IS NULL AND last_error IS NOT NULL ORDER BY id LIMIT ${MOST_COUNTED}
    ), given_up AS (
      SELECT given_up_at FROM mails WHERE given_up_at IS NOT NULL ORDER BY id DESC LIMIT ${MOST_COUNTED}
    ), unanswered AS (
      SELECT FROM contact_messages WHERE answered_at IS NULL ORDER BY created_at, id LIMIT ${MOST_COUNTED}
    )
    SELECT jsonb_build_object(
      'unansweredMessages', (SELECT count(*) FROM unanswered),
      'undeliveredMails', (SELECT count(*) FROM failing WHERE kind = 'send_mail')
        + (SELECT count(*) FROM given_up WHERE given_up_at > now() - interval '7 days'),
      'failingJobs', (SELECT count(*) FROM failing)
    ) AS work`);
  const [row] = rows;
  if (!row) throw new Error("the database gave no answer");
  return row.work;
}
