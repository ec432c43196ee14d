import { sql } from "drizzle-orm";
import type { Database, Queryable } from "../db/client.server.ts";
import { isForeignKeyViolation } from "../db/constraint-errors.server.ts";

/** Rows looked at in one statement, so that none takes long. */
const CHUNK = 10_000;
/** People counted again in one transaction. */
const BATCH = 1_000;
/** Changes added to their sums by one statement. */
const MOST_CHANGES = 10_000;
/** How often some people are counted again because one of them was deleted meanwhile: then the next sweep does it. */
const MOST_ATTEMPTS = 10;

const COUNTED = sql`SELECT FROM standing_sums WHERE name IN ('people', 'waiting', 'plans') AND label = '' HAVING count(*) = 3`;

/** Whether the sums have been counted, and so need only what changed since. */
export async function isCounted(db: Queryable): Promise<boolean> {
  const { rowCount } = await db.execute(COUNTED);
  return rowCount === 1;
}

/** Whether the sums say how things stand: nothing is to be added to them, and no plan has ended or begun to be late since. */
export const ARE_SUMS_RIGHT = sql`EXISTS (${COUNTED}) AND NOT EXISTS (SELECT FROM standing_changes)
  AND NOT EXISTS (SELECT FROM plans_to_count) AND NOT EXISTS (SELECT FROM counted_plans WHERE changes_at <= now())`;

/**
 * Counts everything row by row, as it has to be once: after the migration that brought the sums, or when somebody deletes
 * them. What is written meanwhile is counted exactly once: what a snapshot of the database has is counted, and its changes are
 * thrown away with it; all others stay.
 *
 * @returns whether it was finished; if not, it begins anew the next time
 */
export async function countAnew(db: Database, isStopping: () => boolean): Promise<boolean> {
  for (let last: string | null = ""; last !== null; ) {
    if (isStopping()) return false;
    const from: string = last;
    last = await unlessDeleted(async () => {
      const { rows } = await db.execute<{ id: string }>(
        sql`SELECT id FROM "user" WHERE id > ${from} ORDER BY id LIMIT ${BATCH}`,
      );
      const ids = rows.map(({ id }) => id);
      await countPlans(db, ids);
      return ids.length < BATCH ? null : (ids.at(-1) ?? null);
    });
  }
  return db.transaction(
    async (tx) => {
      await tx.execute(sql`DELETE FROM standing_changes`);
      if (!(await sumPlans(tx, isStopping))) return false;
      const people = await countRows(
        tx,
        sql`SELECT id, false AS is_brought FROM "user" WHERE true`,
        isStopping,
      );
      const waiting = await countRows(
        tx,
        sql`SELECT id, referred_by IS NOT NULL AS is_brought FROM waitlist WHERE confirmed_at IS NOT NULL`,
        isStopping,
      );
      if (!people || !waiting) return false;
      await tx.execute(sql`
        INSERT INTO standing_sums (name, label, value) VALUES ('people', '', ${people.all}), ('plans', '', 1),
          ('waiting', '', ${waiting.all}), ('waiting', 'referral', ${waiting.brought})
        ON CONFLICT (name, label) DO UPDATE SET value = excluded.value`);
      return true;
    },
    { isolationLevel: "repeatable read" },
  );
}

/** The sums of `counted_plans`, from its rows. @returns `false` when it was stopped */
async function sumPlans(tx: Queryable, isStopping: () => boolean): Promise<boolean> {
  await tx.execute(sql`DELETE FROM standing_sums WHERE name IN ('active', 'revenue')`);
  for (let last: string | null = ""; last !== null; ) {
    if (isStopping()) return false;
    const { rows }: { rows: { count: number; last: string | null }[] } = await tx.execute(sql`
      WITH found AS (SELECT * FROM counted_plans WHERE user_id > ${last} ORDER BY user_id LIMIT ${CHUNK}), added AS (
        INSERT INTO standing_sums AS sums (name, label, value)
        SELECT 'active', label, count(*) FROM found GROUP BY label
        UNION ALL SELECT 'revenue', currency, sum(revenue) FROM found WHERE revenue <> 0 GROUP BY currency
        ON CONFLICT (name, label) DO UPDATE SET value = sums.value + excluded.value
      )
      SELECT count(*)::int AS count, max(user_id) AS last FROM found`);
    const { count, last: next }: { count: number; last: string | null } = rows[0] ?? { count: 0, last: null };
    last = count < CHUNK ? null : next;
  }
  return true;
}

/** @param rows of `id` and `is_brought`, to which another condition can be added. @returns `null` when it was stopped */
async function countRows(
  tx: Queryable,
  rows: ReturnType<typeof sql>,
  isStopping: () => boolean,
): Promise<{ all: number; brought: number } | null> {
  const sums = { all: 0, brought: 0 };
  for (let last: string | null = ""; last !== null; ) {
    if (isStopping()) return null;
    const { rows: found }: { rows: { all: number; brought: number; last: string | null }[] } =
      await tx.execute(sql`
      WITH found AS (${rows} AND id > ${last} ORDER BY id LIMIT ${CHUNK})
      SELECT count(*)::int AS "all", count(*) FILTER (WHERE is_brought)::int AS brought, max(id) AS last FROM found`);
    const { all = 0, brought = 0, last: next = null }: Partial<(typeof found)[0]> = found[0] ?? {};
    sums.all += all;
    sums.brought += brought;
    last = all < CHUNK ? null : next;
  }
  return sums;
}

/**
 * Counts the plans of those again whose grants or subscriptions were changed, or that have ended or begun to be late by
 * themselves.
 *
 * @returns whether all were
 */
export async function countChangedPlans(db: Database, isStopping: () => boolean): Promise<boolean> {
  for (;;) {
    if (isStopping()) return false;
    const count = await unlessDeleted(() =>
      db.transaction(async (tx) => {
        const { rows } = await tx.execute<{ id: string }>(sql`
        WITH changed AS (
          DELETE FROM plans_to_count WHERE id IN (SELECT id FROM plans_to_count ORDER BY id LIMIT ${BATCH})
          RETURNING user_id
        )
        SELECT user_id AS id FROM changed
        UNION ALL (SELECT user_id FROM counted_plans WHERE changes_at <= now() ORDER BY changes_at LIMIT ${BATCH})`);
        const ids = [...new Set(rows.map(({ id }) => id))];
        // In a statement of its own, which sees everything that those changes came with.
        if (ids.length > 0) await countPlans(tx, ids);
        return rows.length;
      }),
    );
    if (count < BATCH) return true;
  }
}

/**
 * Counts some people again, if an account of theirs is deleted between being seen and being written down: without it then. One
 * statement has only one moment for what it sees, but a reference has to be there when it ends.
 */
async function unlessDeleted<Result>(count: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await count();
    } catch (error) {
      if (!isForeignKeyViolation(error) || attempt === MOST_ATTEMPTS) throw error;
    }
  }
}

/** Brings `counted_plans` up to now for some people; its triggers change the sums. */
async function countPlans(tx: Queryable, ids: readonly string[]): Promise<void> {
  // As one parameter: the planner looks each of them up, which it would not do with those of a subquery.
  const wanted = sql`${sql.param(ids)}::text[]`;
  // Renews by the same rule as in the view `held_plans`; nothing is paid for a trial, nor while payments are paused.
  await tx.execute(sql`
    WITH best AS (
      SELECT user_id, tier || ':' || source AS label FROM user_subscriptions
      WHERE user_id = ANY (${wanted})
    ), paying AS (
      SELECT user_id, min(currency) AS currency,
        sum(CASE interval WHEN 'year' THEN unit_amount / 12.0 ELSE unit_amount END) AS revenue
      FROM stripe_subscriptions JOIN prices ON prices.id = price_id
      WHERE user_id = ANY (${wanted}) AND status = 'active' AND pause_behavior IS NULL
        AND access_until > now() AND current_period_end > now() AND current_period_end < access_until
        AND (cancel_at IS NULL OR cancel_at > current_period_end)
      GROUP BY user_id
    ), changing AS (
      SELECT user_id, min(at) AS changes_at FROM (
        SELECT user_id, expires_at AS at FROM grants
        WHERE user_id = ANY (${wanted}) AND revoked_at IS NULL
        UNION ALL
        SELECT user_id, at FROM stripe_subscriptions,
          LATERAL (VALUES (access_until), (current_period_end), (current_period_end + interval '1 hour'), (cancel_at)) AS moments (at)
        WHERE user_id = ANY (${wanted})
      ) AS moments
      WHERE at > now() GROUP BY user_id
    ), over AS (
      DELETE FROM counted_plans
      WHERE user_id = ANY (${wanted}) AND user_id NOT IN (SELECT user_id FROM best)
    )
    INSERT INTO counted_plans AS counted (user_id, label, currency, revenue, changes_at)
    SELECT user_id, label, currency, revenue, changes_at
    FROM best LEFT JOIN paying USING (user_id) LEFT JOIN changing USING (user_id)
    ON CONFLICT (user_id) DO UPDATE SET label = excluded.label, currency = excluded.currency, revenue = excluded.revenue,
      changes_at = excluded.changes_at
    WHERE (counted.label, counted.currency, counted.revenue, counted.changes_at)
      IS DISTINCT FROM (excluded.label, excluded.currency, excluded.revenue, excluded.changes_at)`);
}

/** Adds to the sums what has changed since the last time. @returns whether that was all */
export async function addUpChanges(db: Queryable, isStopping: () => boolean): Promise<boolean> {
  for (;;) {
    if (isStopping()) return false;
    const { rows } = await db.execute<{ count: number }>(sql`
      WITH changes AS (
        DELETE FROM standing_changes WHERE id IN (SELECT id FROM standing_changes ORDER BY id LIMIT ${MOST_CHANGES})
        RETURNING name, label, change
      ), added AS (
        INSERT INTO standing_sums AS sums (name, label, value)
        SELECT name, label, sum(change) FROM changes GROUP BY name, label
        ON CONFLICT (name, label) DO UPDATE SET value = sums.value + excluded.value
      )
      SELECT count(*)::int AS count FROM changes`);
    if ((rows[0]?.count ?? 0) < MOST_CHANGES) return true;
  }
}
