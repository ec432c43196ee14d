import { sql } from "drizzle-orm";
import type { Queryable } from "../db/client.server.ts";

/** Of the last comparison of all customers with Stripe. */
export interface Findings {
  customers: number;
  mended: number;
  /** They could not be compared. */
  failed: number;
  /** Subscriptions to plans of ours without a user here. */
  orphans: number;
}

/** Replaces those of the same day. */
export async function keepFindings(db: Queryable, findings: Findings): Promise<void> {
  await db.execute(sql`
    INSERT INTO daily_figures (day, name, label, value)
    SELECT (now() AT TIME ZONE 'UTC')::date, 'compared', key, value::bigint
    FROM jsonb_each_text(${JSON.stringify(findings)}::jsonb)
    ON CONFLICT (name, day, label) DO UPDATE SET value = excluded.value, updated_at = now()`);
}

/** `null` before the first comparison. */
export async function readFindings(db: Queryable): Promise<(Findings & { comparedAt: Date }) | null> {
  const { rows } = await db.execute<{ findings: Findings; comparedAt: string }>(sql`
    WITH last AS (SELECT day FROM daily_figures WHERE name = 'compared' ORDER BY day DESC LIMIT 1)
    SELECT jsonb_object_agg(label, value) AS findings, max(updated_at)::text AS "comparedAt"
    FROM daily_figures JOIN last USING (day) WHERE name = 'compared' HAVING count(*) > 0`);
  const [row] = rows;
  return row ? { ...row.findings, comparedAt: new Date(row.comparedAt) } : null;
}
