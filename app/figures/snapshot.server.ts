import { sql } from "drizzle-orm";
import type { Database, Queryable } from "../db/client.server.ts";
import { TIERS } from "../entitlements/tiers.ts";

const SOURCES = ["paid", "promo", "admin"] as const;
/** Rows counted by one statement, so that none takes long. */
const CHUNK = 10_000;

/** How things stand: a count, or an amount in minor units. */
interface Figure {
  name: string;
  label: string;
  value: number;
}

/** Ids in their order, `after` not included. */
interface Span {
  after: string;
  to: string;
}

/**
 * Counts how things stand and writes it over what was written earlier today:
 *
 * - `active`: people whose best plan has this tier and source (`basic:paid`), as `user_subscriptions` has it
 * - `revenue`: what plans that renew bring in a month, in minor units by currency
 * - `people`, `waiting`: accounts, and confirmed places on the waitlist
 * - `refunds_open`: refunds asked for more than an hour ago that Stripe does not have
 *
 * @param currency of the site, whose revenue is there even if it is none
 * @param isStopping asked between statements: then nothing is written
 */
export async function takeSnapshot(db: Database, currency: string, isStopping: () => boolean): Promise<void> {
  const figures: Figure[] = [
    ...TIERS.flatMap((tier) => SOURCES.map((source) => none("active", `${tier}:${source}`))),
    ...[none("revenue", currency), none("people"), none("waiting"), none("waiting", "referral")],
  ];
  for await (const span of spansOf(db, "user")) {
    if (isStopping()) return;
    figures.push(...(await countPeople(db, span)));
  }
  for await (const span of spansOf(db, "waitlist")) {
    if (isStopping()) return;
    figures.push(...(await countWaiting(db, span)));
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

const none = (name: string, label = ""): Figure => ({ name, label, value: 0 });

/** All rows of a table, in spans of CHUNK. */
async function* spansOf(db: Queryable, table: "user" | "waitlist"): AsyncGenerator<Span> {
  for (let after = ""; ; ) {
    const { rows } = await db.execute<{ to: string | null }>(sql`
      SELECT max(id) AS to FROM (
        SELECT id FROM ${sql.identifier(table)} WHERE id > ${after} ORDER BY id LIMIT ${CHUNK}
      ) AS span`);
    const to = rows[0]?.to;
    if (!to) return;
    yield { after, to };
    after = to;
  }
}

/** Accounts, their best plans, and what the plans that renew bring in a month: nothing while in a trial or paused. */
async function countPeople(db: Queryable, { after, to }: Span): Promise<Figure[]> {
  const { rows } = await db.execute<Figure & Record<string, unknown>>(sql`
    SELECT 'people' AS name, '' AS label, count(*)::float8 AS value FROM "user" WHERE id > ${after} AND id <= ${to}
    UNION ALL
    SELECT 'active', tier || ':' || source, count(*) FROM user_subscriptions
    WHERE user_id > ${after} AND user_id <= ${to} GROUP BY tier, source
    UNION ALL
    SELECT 'revenue', currency, sum(CASE interval WHEN 'year' THEN unit_amount / 12.0 ELSE unit_amount END)
    FROM stripe_subscriptions JOIN prices ON prices.id = price_id
    WHERE user_id > ${after} AND user_id <= ${to} AND status = 'active' AND pause_behavior IS NULL
      -- Renews, as in the view held_plans.
      AND access_until > now() AND current_period_end > now() AND current_period_end < access_until
      AND (cancel_at IS NULL OR cancel_at > current_period_end)
    GROUP BY currency`);
  return rows;
}

async function countWaiting(db: Queryable, { after, to }: Span): Promise<Figure[]> {
  const { rows } = await db.execute<Figure & Record<string, unknown>>(sql`
    SELECT 'waiting' AS name, label, count(*)::float8 AS value
    FROM waitlist, LATERAL (SELECT '' AS label UNION ALL SELECT 'referral' WHERE referred_by IS NOT NULL) AS labels
    WHERE waitlist.id > ${after} AND waitlist.id <= ${to} AND confirmed_at IS NOT NULL GROUP BY label`);
  return rows;
}
