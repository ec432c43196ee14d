import { sql } from "drizzle-orm";
import { withAdvisoryLock } from "../db/advisory-lock.server.ts";
import type { Database, Queryable } from "../db/client.server.ts";
import { countEvents, type Days } from "./events.server.ts";
import { LATE_REFUNDS, takeSnapshot } from "./snapshot.server.ts";
import { ARE_SUMS_RIGHT } from "./standing.server.ts";

const FIGURES_LOCK = 7_130_013;
/** Figures are no newer than they have to be: counting takes at most one part in this many of the time. */
const SHARE_OF_TIME = 100;
const LEAST_SECONDS = 300;
/** What Stripe tells late still counts on its day. */
const DAYS_COUNTED_AGAIN = 2;
/** Once a day further back, for what the night's comparison with Stripe has found. */
const DAYS_COUNTED_DAILY = 35;
/** Days that are counted at the very first time, when there is something that old. */
const DAYS_AT_FIRST = 400;
/** Days counted by one statement. */
const SPAN_DAYS = 50;

/** When the figures were counted, as the day's row `counted`, whose value is how many milliseconds it took. */
const COUNTED = "counted";

/** When they were counted the last time. */
const LAST = sql`SELECT day, value, updated_at FROM daily_figures WHERE name = ${COUNTED} ORDER BY day DESC LIMIT 1`;
const IS_OLD = sql`updated_at < now() - make_interval(secs => greatest(${LEAST_SECONDS}, value * ${SHARE_OF_TIME}::int / 1000))`;

/** What a process remembers between two counts. */
export interface LastCount {
  /** How often anybody had written to what is counted, just before it was counted. */
  writes: string | null;
}

/**
 * Brings the figures by day up to now, if it is time. Safe to run at any time and in many processes, of which one does it;
 * what is not finished is done at the next time.
 *
 * @param currency of the site, whose revenue is there even if it is none
 * @param last of this process, so that nothing is counted again while nobody writes
 */
export async function countFigures(
  db: Database,
  currency: string,
  isStopping: () => boolean = () => false,
  last: LastCount = { writes: null },
): Promise<void> {
  if (await noteUnchanged(db, last)) return;
  await withAdvisoryLock(db, FIGURES_LOCK, async () => {
    // Asked here, because another process may just have finished.
    const { isDue, from, today, writes } = await readDue(db);
    if (!isDue) return;
    const start = performance.now();
    for (const days of spans(from, today)) {
      if (isStopping()) return;
      await countEvents(db, days);
    }
    await takeSnapshot(db, currency, isStopping);
    if (isStopping()) return;
    await noteCounted(db, today, performance.now() - start);
    last.writes = writes;
  });
}

/** What figures are counted from. Sums of its own, which triggers write, change with these. */
const SOURCES = [
  "user",
  "waitlist",
  "checkout_attempts",
  "stripe_invoices",
  "stripe_subscriptions",
  "grants",
  "promo_codes",
  "products",
  "prices",
  "plan_changes",
  "page_views",
];

/**
 * How often anybody has written to them since PostgreSQL started, by its own statistics: a commit may be told some seconds late,
 * and then it is counted the next time. `NULL` where they are switched off.
 */
const WRITES = sql`(
  SELECT pg_postmaster_start_time() || string_agg(concat_ws(' ', relname, n_tup_ins, n_tup_upd, n_tup_del), ',' ORDER BY relname)
  FROM pg_stat_user_tables
  WHERE relname = ANY (${sql.param(SOURCES)}::text[]) AND current_setting('track_counts')::boolean
)`;

/**
 * Notes that the figures are still right, when nobody has written to anything since they were counted, and nothing has become
 * another by itself: no plan has ended, no refund has got late, and it is the same day.
 *
 * @returns `false` when they have to be counted
 */
async function noteUnchanged(db: Queryable, { writes }: LastCount): Promise<boolean> {
  if (writes === null) return false;
  const { rowCount } = await db.execute(sql`
    UPDATE daily_figures SET updated_at = now()
    WHERE name = ${COUNTED} AND day = (now() AT TIME ZONE 'UTC')::date AND ${IS_OLD} AND ${WRITES} = ${writes}
      AND ${ARE_SUMS_RIGHT} AND NOT EXISTS (${LATE_REFUNDS})`);
  return rowCount === 1;
}

/** @returns whether it is time, and from which day on to count */
async function readDue(db: Queryable) {
  const { rows } = await db.execute<{
    isDue: boolean;
    from: string;
    today: string;
    writes: string | null;
  }>(sql`
    WITH today AS (SELECT (now() AT TIME ZONE 'UTC')::date AS today), last AS (${LAST})
    SELECT coalesce(${IS_OLD}, true) AS "isDue", ${WRITES} AS writes,
      today::text,
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
