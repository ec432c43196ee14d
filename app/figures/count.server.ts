import { type SQL, sql } from "drizzle-orm";
import { withAdvisoryLock } from "../db/advisory-lock.server.ts";
import type { Database, Queryable } from "../db/client.server.ts";
import { TIERS } from "../entitlements/tiers.ts";
import { countEvents, type Days } from "./events.server.ts";

const FIGURES_LOCK = 7_130_013;
/** Late Stripe events still count on their day. */
const DAYS_COUNTED_AGAIN = 2;
/** Once a day, for what the nightly comparison with Stripe has found. */
const DAYS_COUNTED_DAILY = 35;
/** The first time. */
const DAYS_AT_FIRST = 400;
/** Per statement. */
const SPAN_DAYS = 50;

/** The name of a row with the milliseconds that counting took. */
const COUNTED = "counted";

/** Hourly, and after a payment if a count takes at most a tenth of the time. Safe to run in many processes. */
export async function countFigures(
  db: Database,
  currency: string,
  isStopping: () => boolean = () => false,
): Promise<void> {
  if (!(await readDue(db)).isDue) return;
  await withAdvisoryLock(db, FIGURES_LOCK, async () => {
    // Another process may just have finished.
    const { isDue, from, today } = await readDue(db);
    if (!isDue) return;
    const start = performance.now();
    for (const days of spans(from, today)) {
      if (isStopping()) return;
      await countEvents(db, days);
    }
    await takeSnapshot(db, currency, isStopping);
    if (!isStopping()) await noteCounted(db, today, performance.now() - start);
  });
}

/** @returns whether it is time, and from which day on */
async function readDue(db: Queryable) {
  const { rows } = await db.execute<{ isDue: boolean; from: string; today: string }>(sql`
    WITH today AS (SELECT (now() AT TIME ZONE 'UTC')::date AS today),
    last AS (SELECT day, updated_at, value FROM daily_figures WHERE name = ${COUNTED} ORDER BY day DESC LIMIT 1)
    -- Stripe's word of a payment may come some time after it.
    SELECT coalesce(updated_at <= now() - interval '1 hour' OR (
        updated_at <= now() - make_interval(secs => value / 100.0)
        AND (SELECT max(paid_at) FROM stripe_invoices) > updated_at - interval '2 minutes'
      ), true) AS "isDue", today::text,
      (CASE WHEN day IS NULL THEN today - ${DAYS_AT_FIRST}::int
        WHEN day < today THEN day - ${DAYS_COUNTED_DAILY}::int
        ELSE today - ${DAYS_COUNTED_AGAIN}::int END)::text AS from
    FROM today LEFT JOIN last ON true`);
  const [due] = rows;
  if (!due) throw new Error("the database does not know which day it is");
  return due;
}

function* spans(from: string, to: string): Generator<Days> {
  const last = Date.parse(to);
  for (let start = Date.parse(from); start <= last; start += SPAN_DAYS * DAY_MILLISECONDS) {
    yield { from: dayOf(start), to: dayOf(Math.min(start + (SPAN_DAYS - 1) * DAY_MILLISECONDS, last)) };
  }
}

const DAY_MILLISECONDS = 24 * 60 * 60 * 1000;
const dayOf = (milliseconds: number) => new Date(milliseconds).toISOString().slice(0, 10);

async function noteCounted(db: Queryable, today: string, milliseconds: number): Promise<void> {
  await db.execute(sql`
    INSERT INTO daily_figures (day, name, value) VALUES (${today}::date, ${COUNTED}, ${Math.round(milliseconds)})
    ON CONFLICT (name, day, label) DO UPDATE SET value = excluded.value, updated_at = now()`);
}

/** Per statement, so that none takes long. */
const CHUNK = 10_000;

/** By id, `after` exclusive. */
interface Span {
  after: string;
  to: string;
}

/** For each large table: rows of `name`, `label` and `value`. */
const COUNTS: Record<"user" | "waitlist", (span: Span) => SQL> = {
  user: ({ after, to }) => sql`
    SELECT 'people' AS name, '' AS label, count(*) AS value FROM "user" WHERE id > ${after} AND id <= ${to}
    UNION ALL
    SELECT 'active', tier || ':' || source, count(*) FROM user_subscriptions
    WHERE user_id > ${after} AND user_id <= ${to} GROUP BY tier, source
    UNION ALL
    SELECT 'revenue', currency, sum(CASE interval WHEN 'year' THEN unit_amount / 12.0 ELSE unit_amount END)
    FROM stripe_subscriptions JOIN prices ON prices.id = price_id
    WHERE user_id > ${after} AND user_id <= ${to} AND (status = 'active' OR status = 'trialing' AND days_given IS NOT NULL) AND pause_behavior IS NULL
      -- Renews, as in the view held_plans.
      AND access_until > now() AND current_period_end > now() AND current_period_end < access_until
      AND (cancel_at IS NULL OR cancel_at > current_period_end)
    GROUP BY currency`,
  waitlist: ({ after, to }) => sql`
    SELECT 'waiting' AS name, label, count(*) AS value
    FROM waitlist, LATERAL (SELECT '' AS label UNION ALL SELECT 'referral' WHERE referred_by IS NOT NULL
      UNION ALL SELECT 'invited' WHERE invitation_id IS NOT NULL) AS labels
    WHERE waitlist.id > ${after} AND waitlist.id <= ${to} AND confirmed_at IS NOT NULL GROUP BY label`,
};

/**
 * Writes today's state, over what was written earlier today:
 * - `active`: people by tier and source of their best plan (`basic:paid`)
 * - `revenue`: a month of renewing plans, in minor units by currency; nothing while in a trial or paused
 * - `people`, `waiting`: accounts, and confirmed places on the waitlist, invited or not
 * - `refunds_open`: requested over an hour ago, not at Stripe
 * @param isStopping asked between statements: then nothing is written
 */
async function takeSnapshot(db: Database, currency: string, isStopping: () => boolean): Promise<void> {
  const figures = [
    { name: "people", label: "", value: 0 },
    { name: "waiting", label: "", value: 0 },
    { name: "waiting", label: "referral", value: 0 },
    { name: "waiting", label: "invited", value: 0 },
    { name: "revenue", label: currency, value: 0 },
    // A week shows its last row.
    ...TIERS.flatMap((tier) =>
      ["paid", "promo", "admin"].map((source) => ({ name: "active", label: `${tier}:${source}`, value: 0 })),
    ),
  ];
  for (const [table, count] of Object.entries(COUNTS))
    for (let after = ""; ; ) {
      if (isStopping()) return;
      const { rows } = await db.execute<{ to: string | null }>(sql`
        SELECT max(id) AS to FROM (
          SELECT id FROM ${sql.identifier(table)} WHERE id > ${after} ORDER BY id LIMIT ${CHUNK}
        ) AS span`);
      const to = rows[0]?.to;
      if (!to) break;
      const counted = await db.execute<{ name: string; label: string; value: number }>(count({ after, to }));
      figures.push(...counted.rows);
      after = to;
    }
  await db.transaction(async (tx) => {
    await tx.execute(sql`DELETE FROM daily_figures WHERE day = (now() AT TIME ZONE 'UTC')::date
      AND name IN ('active', 'revenue', 'people', 'waiting', 'refunds_open')`);
    await tx.execute(sql`
      INSERT INTO daily_figures (day, name, label, value)
      SELECT (now() AT TIME ZONE 'UTC')::date, name, label, round(sum(value))
      FROM jsonb_to_recordset(${JSON.stringify(figures)}::jsonb) AS figures (name text, label text, value numeric)
      GROUP BY name, label
      UNION ALL SELECT (now() AT TIME ZONE 'UTC')::date, 'refunds_open', '', count(*) FROM plan_changes
        WHERE kind IN ('refund', 'withdraw') AND applied_at IS NULL AND requested_at < now() - interval '1 hour'`);
  });
}
