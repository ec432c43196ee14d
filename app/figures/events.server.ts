import { type SQL, sql } from "drizzle-orm";
import type { Queryable } from "../db/client.server.ts";

/** Codes, or referring hosts, that are counted by themselves on a day; the others are in its total only. */
const MOST_A_DAY = 30;

/** A span of days in UTC, both included, as `2026-11-22`. */
export interface Days {
  from: string;
  to: string;
}

/** What happened at a moment, at most once a row, and to whom. */
interface Event {
  name: string;
  /** Rows of `id`, `day`, `at` and `user_id`. */
  rows: (during: (column: SQL) => SQL) => SQL;
  /** Rows of `day` and `label`, where an event is of a code itself; `null`: it comes before any code. */
  codes?: ((during: (column: SQL) => SQL) => SQL) | null;
}

const day = (column: SQL) => sql`(${column} AT TIME ZONE 'UTC')::date AS day`;

/**
 * By code: those of a batch together, and all that are good for one use together, because such a code stands for a person.
 */
const CODE = sql`CASE WHEN batch_id IS NOT NULL THEN 'batch:' || batch_id WHEN max_uses = 1 THEN 'single' ELSE 'code:' || code END`;

/**
 * `label`, for each row of `grants` beside it. OFFSET 0 here, and below, keeps it what is looked up for each row by key: for the thousands
 * of a few days the planner would rather read millions, of all days, once (decision 0063).
 */
const CODE_OF_GRANT = sql`LATERAL (SELECT ${CODE} AS label FROM promo_codes WHERE code = promo_code OFFSET 0) AS code`;

/** Steps of people who have an account. */
const EVENTS: Event[] = [
  {
    name: "signed_up",
    rows: (during) => sql`SELECT ${day(sql`created_at`)}, created_at AS at, id, id AS user_id FROM "user"
      WHERE ${during(sql`created_at`)}`,
    codes: null,
  },
  {
    name: "payment_page",
    // In two halves, because each has an index of its own.
    rows: (during) => sql`SELECT ${day(sql`created_at`)}, created_at AS at, id, user_id FROM checkout_attempts
        WHERE check_at IS NULL AND ${during(sql`created_at`)}
      UNION ALL SELECT ${day(sql`created_at`)}, created_at, id, user_id FROM checkout_attempts
        WHERE check_at IS NOT NULL AND ${during(sql`created_at`)}`,
  },
  {
    name: "paid",
    rows: (during) => sql`SELECT ${day(sql`paid_at`)}, paid_at AS at, id, user_id FROM stripe_invoices
      WHERE ${during(sql`paid_at`)} AND billing_reason = 'subscription_create' AND amount_paid > 0`,
  },
  {
    name: "redeemed",
    rows: (during) => sql`SELECT ${day(sql`created_at`)}, created_at AS at, id, user_id FROM grants
      WHERE ${during(sql`created_at`)} AND source = 'promo'`,
    codes: (during) => sql`SELECT ${day(sql`grants.created_at`)}, label
      FROM grants, ${CODE_OF_GRANT} WHERE ${during(sql`grants.created_at`)}`,
  },
  {
    name: "canceled",
    rows: (
      during,
    ) => sql`SELECT ${day(sql`canceled_at`)}, canceled_at AS at, id, user_id FROM stripe_subscriptions
      WHERE ${during(sql`canceled_at`)} AND status NOT IN ('incomplete', 'incomplete_expired')`,
  },
];

/**
 * Counts by day what people did, from the rows that say so: by itself, of those whom a friend's link brought to the waitlist,
 * and by promo code.
 *
 * Repeated at will. A sum never falls: whoever deletes their account has still signed up that day.
 */
export async function countEvents(db: Queryable, days: Days): Promise<void> {
  const during = (column: SQL) => sql`${column} >= ${days.from}::date::timestamp AT TIME ZONE 'UTC'
    AND ${column} < (${days.to}::date + 1)::timestamp AT TIME ZONE 'UTC'`;
  for (const { name, rows, codes } of EVENTS) {
    await raise(
      db,
      name,
      sql`SELECT day, '' AS label, count(*) AS value FROM (${rows(during)}) AS event GROUP BY day`,
    );
    await raise(
      db,
      name,
      sql`SELECT day, 'referral' AS label, count(*) AS value FROM (${rows(during)}) AS event, LATERAL (
          SELECT FROM "user" JOIN waitlist ON waitlist.email = lower("user".email)
          WHERE "user".id = user_id AND referred_by IS NOT NULL OFFSET 0
        ) AS brought
        -- Nobody is looked up on a site whose waitlist has brought nobody.
        WHERE EXISTS (SELECT FROM waitlist WHERE referred_by IS NOT NULL) GROUP BY day`,
    );
    if (codes === null) continue;
    const ofCodes =
      codes?.(during) ??
      sql`SELECT DISTINCT day, event.id, label FROM (${rows(during)}) AS event, LATERAL (
          SELECT promo_code FROM grants WHERE grants.user_id = event.user_id AND grants.created_at <= at OFFSET 0
        ) AS earlier, ${CODE_OF_GRANT}`;
    await raise(db, name, mostFrequent(ofCodes));
  }
  for (const [name, moment] of [
    ["joined", sql`created_at`],
    ["confirmed", sql`confirmed_at`],
  ] as const) {
    await raise(
      db,
      name,
      sql`SELECT day, label, count(*) AS value
        FROM (SELECT ${day(moment)}, referred_by FROM waitlist WHERE ${during(moment)}) AS member,
          LATERAL (SELECT '' AS label UNION ALL SELECT 'referral' WHERE referred_by IS NOT NULL) AS labels
        GROUP BY day, label`,
    );
  }
  await countPlans(db, during);
  await countViews(db, days);
}

/** Views of all pages, by page and by referring host: a few rows a day for the funnel, however many `page_views` has. */
async function countViews(db: Queryable, { from, to }: Days): Promise<void> {
  const by = (label: SQL) => sql`SELECT day, ${label} AS label, sum(views) AS value FROM page_views
    WHERE day BETWEEN ${from}::date AND ${to}::date GROUP BY 1, 2`;
  await raise(db, "views", by(sql`''`));
  await raise(db, "views", by(sql`'page:' || page`));
  await raise(db, "views", largest(by(sql`'host:' || referrer`)));
}

/** Plans that began and ended, and what was paid, in minor units by currency. */
async function countPlans(db: Queryable, during: (column: SQL) => SQL): Promise<void> {
  const of = (
    moment: SQL,
  ) => sql`SELECT ${day(moment)}, '' AS label, count(*) AS value FROM stripe_subscriptions
    WHERE ${during(moment)} AND status NOT IN ('incomplete', 'incomplete_expired') GROUP BY day`;
  await raise(db, "plans_begun", of(sql`started_at`));
  await raise(db, "plans_ended", of(sql`ended_at`));
  await raise(
    db,
    "amount_paid",
    sql`SELECT ${day(sql`paid_at`)}, currency AS label, sum(amount_paid) AS value FROM stripe_invoices
      WHERE ${during(sql`paid_at`)} GROUP BY day, currency`,
  );
}

/** @param events rows of day and label */
function mostFrequent(events: SQL): SQL {
  return largest(sql`SELECT day, label, count(*) AS value FROM (${events}) AS of_code GROUP BY day, label`);
}

/** @param sums rows of day, label and value */
function largest(sums: SQL): SQL {
  return sql`SELECT day, label, value FROM (
      SELECT day, label, value, row_number() OVER (PARTITION BY day ORDER BY value DESC, label) AS place
      FROM (${sums}) AS sums
    ) AS placed WHERE place <= ${MOST_A_DAY}::int`;
}

/** @param sums rows of day, label and value, each day and label once */
async function raise(db: Queryable, name: string, sums: SQL): Promise<void> {
  await db.execute(sql`
    INSERT INTO daily_figures (day, name, label, value)
    SELECT day, ${name}, label, value FROM (${sums}) AS sums
    ON CONFLICT (name, day, label) DO UPDATE SET value = excluded.value, updated_at = now()
    WHERE daily_figures.value < excluded.value`);
}
