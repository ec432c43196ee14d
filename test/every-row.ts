import type { TestServer } from "./server.ts";

/** Columns that background sweeps of payments write by themselves. */
const SWEPT = "{check_at,checks,synced_at,sync_ticket}";

/** A checksum of each table that a request could change, without what changes by itself: `assets` at a start. */
export async function everyRow({ pool }: TestServer): Promise<Record<string, string>> {
  const { rows: tables } = await pool.query(
    `SELECT table_name AS name FROM information_schema.tables
     WHERE table_schema = 'public' AND table_type = 'BASE TABLE'
       AND table_name NOT IN ('assets', 'outbox', 'mails', 'rate_limits', 'processes', 'page_views', 'daily_figures', 'counted_plans', 'counted_refunds')`,
  );
  const sums = tables.map(
    ({ name }) =>
      `SELECT '${name}' AS name, md5(coalesce(string_agg(row, ',' ORDER BY row), '')) AS sum
       FROM (SELECT (to_jsonb(t) - $1::text[])::text AS row FROM "${name}" AS t) AS rows`,
  );
  const { rows } = await pool.query(sums.join(" UNION ALL "), [SWEPT]);
  return Object.fromEntries(rows.map(({ name, sum }) => [name, sum]));
}
