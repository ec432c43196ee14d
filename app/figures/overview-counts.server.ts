import { type SQL, sql } from "drizzle-orm";
import type { Queryable } from "../db/client.server.ts";

/** The exact number beyond changes nothing. */
export const MOST_COUNTED = 1_000;

/** Ages and delays are in seconds; `null`: there is no such event or job. */
export interface OverviewCounts {
  /** Failed FAILED_TRIES times and older than STUCK_MINUTES, by whether they are mails; `null`: there is none. */
  stuckJobs: Stuck | null;
  stuckMails: Stuck | null;
  openJobs: number;
  /** Of the job that has been due longest. */
  oldestDueSeconds: number | null;
  /** In the last week. */
  mailsGivenUp: number;
  /** Failed and owed payments, those of them that are tried no more, and open disputes, each by currency. */
  unpaid: Owed[];
  overdue: Owed[];
  disputed: Owed[];
  /** Sent back by banks, and not paid again. */
  refundsReturned: Owed[];
  /** Refused by Stripe so far. */
  failedRefunds: number;
  unansweredMessages: number;
  oldestMessageSeconds: number | null;
  unhandledEvents: number;
  oldestEventSeconds: number | null;
  /** The 95th percentile of the last hundred, from Stripe to here. */
  eventDelaySeconds: number | null;
  /** An active price at Stripe that no plan here can have, and why. */
  skippedPrice: { product: string; reason: string } | null;
}

/** How many, and which of them has been tried most. */
export interface Stuck {
  count: number;
  kind: string;
  attempts: number;
  lastError: string | null;
  seconds: number;
}

/** In minor units, and seconds. */
export interface Owed {
  currency: string;
  count: number;
  amount: number;
  oldestSeconds: number;
}

/** On `stripe_invoices`, each for few of them. */
export const UNPAID = sql`stripe_invoices.status = 'open'
  AND (stripe_invoices.attempt_count > 0 OR stripe_invoices.needs_authentication)
  AND NOT EXISTS (SELECT FROM stripe_subscriptions ended WHERE ended.id = stripe_invoices.subscription_id
    AND ended.status IN ('canceled', 'incomplete_expired', 'incomplete'))`;
export const DISPUTED = sql`stripe_invoices.dispute_status IN ('needs_response', 'under_review')`;

export const REFUND_RETURNED = sql`stripe_invoices.refund_failed > 0`;

/** `Owed[]` by currency, of at most MOST_COUNTED. */
function owed(where: SQL, amount = sql`amount_due`, since = sql`created_at`): SQL {
  return sql`(SELECT coalesce(jsonb_agg(jsonb_build_object('currency', currency, 'count', count, 'amount', amount,
      'oldestSeconds', seconds)), '[]')
    FROM (SELECT currency, count(*) AS count, sum(amount_due) AS amount, max(${ageOf("created_at")}) AS seconds
      FROM (SELECT currency, ${amount} AS amount_due, ${since} AS created_at FROM stripe_invoices WHERE ${where} LIMIT ${MOST_COUNTED}) AS found
      GROUP BY currency) AS by_currency)`;
}

const FAILED_TRIES = 5;
const STUCK_MINUTES = 10;

/** On open rows of the outbox. */
export const STUCK = sql`attempts >= ${FAILED_TRIES} AND created_at < now() - make_interval(mins => ${STUCK_MINUTES}::int)`;

/** `Stuck` of the open jobs. */
function stuck(which: SQL): SQL {
  return sql`(SELECT jsonb_build_object('count', count(*) OVER (), 'kind', kind, 'attempts', attempts,
      'lastError', last_error, 'seconds', ${ageOf("created_at")})
    FROM open_jobs WHERE ${which} AND ${STUCK} ORDER BY attempts DESC, created_at LIMIT 1)`;
}

/** Each half limited, so that thousands of mails hide no other job. */
export const OPEN_JOBS = sql`
  (SELECT kind, attempts, created_at, last_error FROM outbox
    WHERE done_at IS NULL AND kind <> 'send_mail' ORDER BY id LIMIT ${MOST_COUNTED})
  UNION ALL
  (SELECT kind, attempts, created_at, last_error FROM outbox
    WHERE done_at IS NULL AND kind = 'send_mail' ORDER BY id LIMIT ${MOST_COUNTED})`;

/** A bounded number of rows, by index. */
export async function readOverviewCounts(db: Queryable): Promise<OverviewCounts> {
  const { rows } = await db.execute<{ counts: OverviewCounts }>(sql`
    WITH open_jobs AS (${OPEN_JOBS}), jobs AS (
      SELECT count(*) AS "openJobs",
        count(*) FILTER (WHERE kind = 'refund_payment' AND attempts > 1) AS "failedRefunds"
      FROM open_jobs
    ), due AS (
      SELECT run_at FROM outbox WHERE done_at IS NULL AND run_at > '-infinity' ORDER BY run_at LIMIT 1
    ), given_up AS (
      SELECT given_up_at FROM mails WHERE given_up_at IS NOT NULL ORDER BY id DESC LIMIT ${MOST_COUNTED}
    ), unanswered AS (
      SELECT created_at FROM contact_messages WHERE answered_at IS NULL ORDER BY created_at, id LIMIT ${MOST_COUNTED}
    ), unhandled AS (
      SELECT received_at FROM stripe_events WHERE handled_at IS NULL ORDER BY received_at LIMIT ${MOST_COUNTED}
    ), delays AS (
      SELECT extract(epoch FROM received_at - created) AS seconds FROM stripe_events
      ORDER BY received_at DESC, id DESC LIMIT 100
    )
    SELECT jsonb_build_object(
      'openJobs', "openJobs", 'failedRefunds', "failedRefunds",
      'stuckJobs', ${stuck(sql`kind <> 'send_mail'`)}, 'stuckMails', ${stuck(sql`kind = 'send_mail'`)},
      'unpaid', ${owed(UNPAID)}, 'disputed', ${owed(DISPUTED)},
      'refundsReturned', ${owed(REFUND_RETURNED, sql`refund_failed`, sql`refund_failed_at`)},
      'overdue', ${owed(sql`${UNPAID} AND stripe_invoices.next_attempt_at IS NULL`)},
      'oldestDueSeconds', (SELECT greatest(${ageOf("run_at")}, 0) FROM due),
      'mailsGivenUp', (SELECT count(*) FROM given_up WHERE given_up_at > now() - interval '7 days'),
      'unansweredMessages', (SELECT count(*) FROM unanswered),
      'oldestMessageSeconds', (SELECT max(${ageOf("created_at")}) FROM unanswered),
      'unhandledEvents', (SELECT count(*) FROM unhandled),
      'oldestEventSeconds', (SELECT max(${ageOf("received_at")}) FROM unhandled),
      'eventDelaySeconds', (SELECT greatest(percentile_cont(0.95) WITHIN GROUP (ORDER BY seconds), 0) FROM delays),
      'skippedPrice', (SELECT jsonb_build_object('product', product_name, 'reason', reason) FROM skipped_prices ORDER BY id LIMIT 1)
    ) AS counts FROM jobs`);
  const [row] = rows;
  if (!row) throw new Error("the database gave no answer");
  return row.counts;
}

function ageOf(column: string) {
  return sql.raw(`extract(epoch FROM now() - ${column})`);
}
