import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../db/client.server.ts";

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
export async function takeSnapshot(db: Database, currency: string, isStopping: () => boolean): Promise<void> {
  const figures = [
    { name: "people", label: "", value: 0 },
    { name: "waiting", label: "", value: 0 },
    { name: "waiting", label: "referral", value: 0 },
    { name: "waiting", label: "invited", value: 0 },
    { name: "revenue", label: currency, value: 0 },
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
