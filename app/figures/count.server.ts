import { sql } from "drizzle-orm";
import { withAdvisoryLock } from "../db/advisory-lock.server.ts";
import type { Database, Queryable } from "../db/client.server.ts";
import { countEvents, type Days } from "./events.server.ts";
import { takeSnapshot } from "./snapshot.server.ts";

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
