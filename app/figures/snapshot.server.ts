import { sql } from "drizzle-orm";
import type { Database, Queryable } from "../db/client.server.ts";
import { TIERS } from "../entitlements/tiers.ts";

/** People looked at in one statement, so that none takes long, however many there are. */
const CHUNK = 10_000;

const SOURCES = ["paid", "promo", "admin"] as const;

/** What is so today, by name and label. */
type Figures = Map<string, number>;

const keyOf = (name: string, label = "") => `${name} ${label}`;

/**
 * Writes how things stand today over what was written earlier today:
 *
 * - `active`: people whose best plan has this tier and source (`basic:paid`), as `user_subscriptions` has it
 * - `revenue`: what plans that renew bring in a month, in minor units by currency
 * - `people`, `waiting`: accounts, and confirmed places on the waitlist
 * - `refunds_open`: refunds asked for more than an hour ago that Stripe does not have
 *
 * @param isStopping asked between chunks: then nothing is written
 */
export async function takeSnapshot(db: Database, currency: string, isStopping: () => boolean): Promise<void> {
  const figures: Figures = new Map([[keyOf("revenue", currency), 0]]);
  for (const tier of TIERS)
    for (const source of SOURCES) figures.set(keyOf("active", `${tier}:${source}`), 0);
  let last: string | null = "";
  while (last !== null) {
    if (isStopping()) return;
    last = await countChunk(db, last, figures);
  }
  await countRest(db, figures);
  const rows = [...figures].map(([key, value]) => {
    const [name, label] = key.split(" ");
    return { name, label, value };
  });
  await db.execute(sql`
    INSERT INTO daily_figures (day, name, label, value)
    SELECT (now() AT TIME ZONE 'UTC')::date, name, label, round(value)
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS figures (name text, label text, value numeric)
    ON CONFLICT (name, day, label) DO UPDATE SET value = excluded.value, updated_at = now()`);
}

/** Counts the people after an id. @returns the last of them; `null` when there are no more */
async function countChunk(db: Queryable, after: string, figures: Figures): Promise<string | null> {
  const { rows: people } = await db.execute<{ count: number; last: string | null }>(sql`
    SELECT count(*)::int AS count, max(id) AS last
    FROM (SELECT id FROM "user" WHERE id > ${after} ORDER BY id LIMIT ${CHUNK}) AS people`);
  const { count = 0, last = null } = people[0] ?? {};
  if (last === null) return null;
  add(figures, keyOf("people"), count);
  const { rows: plans } = await db.execute<{ label: string; value: number }>(sql`
    SELECT tier || ':' || source AS label, count(*)::int AS value FROM user_subscriptions
    WHERE user_id > ${after} AND user_id <= ${last} GROUP BY tier, source`);
  for (const { label, value } of plans) add(figures, keyOf("active", label), value);
  // Renews by the same rule as in the view `held_plans`; nothing is paid for a trial, nor while payments are paused.
  const { rows: revenue } = await db.execute<{ label: string; value: number }>(sql`
    SELECT currency AS label,
      sum(CASE interval WHEN 'year' THEN unit_amount / 12.0 ELSE unit_amount END)::float8 AS value
    FROM stripe_subscriptions JOIN prices ON prices.id = price_id
    WHERE user_id > ${after} AND user_id <= ${last} AND status = 'active' AND pause_behavior IS NULL
      AND access_until > now() AND current_period_end > now() AND current_period_end < access_until
      AND (cancel_at IS NULL OR cancel_at > current_period_end)
    GROUP BY currency`);
  for (const { label, value } of revenue) add(figures, keyOf("revenue", label), value);
  return count < CHUNK ? null : last;
}

async function countRest(db: Queryable, figures: Figures): Promise<void> {
  const { rows } = await db.execute<{ waiting: number; referred: number; refunds: number }>(sql`
    SELECT (SELECT count(*)::int FROM waitlist WHERE confirmed_at IS NOT NULL) AS waiting,
      (SELECT count(*)::int FROM waitlist WHERE confirmed_at IS NOT NULL AND referred_by IS NOT NULL) AS referred,
      (SELECT count(*)::int FROM plan_changes WHERE kind IN ('refund', 'withdraw') AND applied_at IS NULL
        AND requested_at < now() - interval '1 hour') AS refunds`);
  const { waiting = 0, referred = 0, refunds = 0 } = rows[0] ?? {};
  figures.set(keyOf("waiting"), waiting);
  figures.set(keyOf("waiting", "referral"), referred);
  figures.set(keyOf("refunds_open"), refunds);
}

function add(figures: Figures, key: string, value: number): void {
  figures.set(key, (figures.get(key) ?? 0) + value);
}
