import { type SQL, sql } from "drizzle-orm";
import type { Queryable } from "../db/client.server.ts";
import { TRIED_IT } from "./visitors.ts";

/** Codes, or referring hosts, counted by name; others are in the total only. */
const MOST_A_DAY = 30;

/** In UTC, both included, as `2026-11-22`. */
export interface Days {
  from: string;
  to: string;
}

type During = (column: SQL) => SQL;

/** Counted from the rows of what people did. Repeatable. A sum never falls: deleting an account does not undo its sign-up. */
export async function countEvents(db: Queryable, days: Days): Promise<void> {
  const { from, to } = days;
  const during: During = (column) => sql`${column} >= ${from}::date::timestamp AT TIME ZONE 'UTC'
    AND ${column} < (${to}::date + 1)::timestamp AT TIME ZONE 'UTC'`;
  for (const [name, count] of COUNTS)
    await db.execute(sql`
      INSERT INTO daily_figures (day, name, label, value)
      SELECT day, ${name}, label, value FROM (${count(during, days)}) AS sums
      ON CONFLICT (name, day, label) DO UPDATE SET value = excluded.value, updated_at = now()
      WHERE daily_figures.value < excluded.value`);
}

const day = (column: SQL) => sql`(${column} AT TIME ZONE 'UTC')::date AS day`;

/**
 * The code; those of a batch together, and all single-use ones together, because such a code stands for a person. OFFSET 0 here and
 * below forces a lookup by key: for the thousands of rows of a few days the planner would read millions (decision 0063).
 */
const CODE = sql`LATERAL (
  SELECT CASE WHEN batch_id IS NOT NULL THEN 'batch:' || batch_id WHEN max_uses = 1 THEN 'single' ELSE 'code:' || code END AS label
  FROM promo_codes WHERE code = promo_code OFFSET 0) AS code`;

/** Redeemed by the user by then. */
const EARLIER_CODES = sql`LATERAL (
  SELECT promo_code FROM grants WHERE grants.user_id = event.user_id AND grants.created_at <= at OFFSET 0) AS earlier, ${CODE}`;

const SIGN_UPS = (during: During) => sql`SELECT ${day(sql`created_at`)}, created_at AS at, id, id AS user_id
  FROM "user" WHERE ${during(sql`created_at`)}`;

// Two halves, each with its own index.
const PAYMENT_PAGES = (during: During) => sql`
  SELECT ${day(sql`created_at`)}, created_at AS at, id, user_id FROM checkout_attempts
    WHERE check_at IS NULL AND ${during(sql`created_at`)}
  UNION ALL SELECT ${day(sql`created_at`)}, created_at, id, user_id FROM checkout_attempts
    WHERE check_at IS NOT NULL AND ${during(sql`created_at`)}`;

const FIRST_PAYMENTS = (during: During) => sql`SELECT ${day(sql`paid_at`)}, paid_at AS at, id, user_id
  FROM stripe_invoices WHERE ${during(sql`paid_at`)} AND billing_reason = 'subscription_create' AND amount_paid > 0`;

/** Bought a month before and not over since, on the day that month is full. A month has at most 31 days. */
const STAYED = (during: During, { from, to }: Days) => sql`SELECT ${day(sql`at`)}, at, id, user_id FROM (
    SELECT id, user_id, ended_at, started_at + interval '1 month' AS at FROM stripe_subscriptions
    WHERE started_at >= ${from}::date - 32 AND started_at < ${to}::date - 26 AND ${isBought()}
  ) AS bought WHERE ${during(sql`at`)} AND at <= now() AND (ended_at IS NULL OR ended_at > at)`;

const REDEMPTIONS = (
  during: During,
) => sql`SELECT ${day(sql`created_at`)}, created_at AS at, id, user_id, promo_code
  FROM grants WHERE ${during(sql`created_at`)} AND source = 'promo'`;

const CANCELLATIONS = (during: During) => sql`SELECT ${day(sql`canceled_at`)}, canceled_at AS at, id, user_id
  FROM stripe_subscriptions WHERE ${during(sql`canceled_at`)} AND ${isBought()}`;

/** Rows of `day`, `label` and `value`, unique by day and label. */
const COUNTS: [name: string, count: (during: During, days: Days) => SQL][] = [
  ["signed_up", (during) => byReferral(SIGN_UPS(during))],
  ["confirmed_account", (during) => byReferral(sql`${SIGN_UPS(during)} AND email_verified`)],
  ["stayed", (during, days) => byReferral(STAYED(during, days))],
  ["stayed", (during, days) => byCode(STAYED(during, days), EARLIER_CODES)],
  ["payment_page", (during) => byReferral(PAYMENT_PAGES(during))],
  ["payment_page", (during) => byCode(PAYMENT_PAGES(during), EARLIER_CODES)],
  ["paid", (during) => byReferral(FIRST_PAYMENTS(during))],
  ["paid", (during) => byCode(FIRST_PAYMENTS(during), EARLIER_CODES)],
  ["redeemed", (during) => byReferral(REDEMPTIONS(during))],
  ["redeemed", (during) => byCode(REDEMPTIONS(during), CODE)],
  ["canceled", (during) => byReferral(CANCELLATIONS(during))],
  ["canceled", (during) => byCode(CANCELLATIONS(during), EARLIER_CODES)],
  ["joined", (during) => members(sql`created_at`, during)],
  ["confirmed", (during) => members(sql`confirmed_at`, during)],
  ["plans_begun", (during) => plans(sql`started_at`, during)],
  ["plans_ended", (during) => plans(sql`ended_at`, during)],
  [
    "tried",
    (_, { from, to }) => sql`SELECT day, '' AS label, sum(views) AS value FROM page_views
      WHERE page = ${TRIED_IT} AND day BETWEEN ${from}::date AND ${to}::date GROUP BY day`,
  ],
  ["views", (_, days) => views(sql`''`, days)],
  ["views", (_, days) => views(sql`'page:' || page`, days)],
  ["views", (_, days) => largest(views(sql`'host:' || referrer`, days))],
];

/** The first payment may never have come. */
function isBought(): SQL {
  return sql`status NOT IN ('incomplete', 'incomplete_expired')`;
}

/** All, and those of users from a friend's link. @param events rows of `day` and `user_id` */
function byReferral(events: SQL): SQL {
  return sql`SELECT day, '' AS label, count(*) AS value FROM (${events}) AS event GROUP BY day
    UNION ALL
    SELECT day, 'referral', count(*) FROM (${events}) AS event, LATERAL (
      SELECT FROM "user" JOIN waitlist ON waitlist.email = lower("user".email)
      WHERE "user".id = user_id AND referred_by IS NOT NULL OFFSET 0
    ) AS brought
    -- Skips the lookups on a site without referrals.
    WHERE EXISTS (SELECT FROM waitlist WHERE referred_by IS NOT NULL) GROUP BY day`;
}

/** @param events rows of `day`, `id`, `user_id` and `at` @param codes gives each its labels */
function byCode(events: SQL, codes: SQL): SQL {
  return largest(sql`
    SELECT day, label, count(*) AS value FROM (SELECT DISTINCT day, event.id, label FROM (${events}) AS event, ${codes}) AS of_code
    GROUP BY day, label`);
}

function members(moment: SQL, during: During): SQL {
  return sql`SELECT day, label, count(*) AS value
    FROM (SELECT ${day(moment)}, referred_by FROM waitlist WHERE ${during(moment)}) AS member,
      LATERAL (SELECT '' AS label UNION ALL SELECT 'referral' WHERE referred_by IS NOT NULL) AS labels
    GROUP BY day, label`;
}

function plans(moment: SQL, during: During): SQL {
  return sql`SELECT ${day(moment)}, '' AS label, count(*) AS value FROM stripe_subscriptions
    WHERE ${during(moment)} AND ${isBought()} GROUP BY day`;
}

/** A few rows a day for the funnel, however many `page_views` has. */
function views(label: SQL, { from, to }: Days): SQL {
  return sql`SELECT day, ${label} AS label, sum(views) AS value FROM page_views
    WHERE page <> ${TRIED_IT} AND day BETWEEN ${from}::date AND ${to}::date GROUP BY 1, 2`;
}

/** @param sums rows of `day`, `label` and `value` */
function largest(sums: SQL): SQL {
  return sql`SELECT day, label, value FROM (
      SELECT day, label, value, row_number() OVER (PARTITION BY day ORDER BY value DESC, label) AS place
      FROM (${sums}) AS sums
    ) AS placed WHERE place <= ${MOST_A_DAY}::int`;
}
