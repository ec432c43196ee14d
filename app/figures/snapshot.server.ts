import { sql } from "drizzle-orm";
import type { Database, Queryable } from "../db/client.server.ts";
import { TIERS } from "../entitlements/tiers.ts";
import { addUpChanges, countAnew, countChangedPlans, isCounted } from "./standing.server.ts";

const SOURCES = ["paid", "promo", "admin"] as const;

/** Refunds asked for more than an hour ago that Stripe does not have. */
export const LATE_REFUNDS = sql`SELECT FROM plan_changes
  WHERE kind IN ('refund', 'withdraw') AND applied_at IS NULL AND requested_at < now() - interval '1 hour'`;

/**
 * Writes how things stand today over what was written earlier today:
 *
 * - `active`: people whose best plan has this tier and source (`basic:paid`), as `user_subscriptions` has it
 * - `revenue`: what plans that renew bring in a month, in minor units by currency
 * - `people`, `waiting`: accounts, and confirmed places on the waitlist
 * - `refunds_open`: refunds asked for more than an hour ago that Stripe does not have
 *
 * @param isStopping asked between steps: then nothing is written
 */
export async function takeSnapshot(db: Database, currency: string, isStopping: () => boolean): Promise<void> {
  if (!(await isCounted(db)) && !(await countAnew(db, isStopping))) return;
  if (!(await countChangedPlans(db, isStopping))) return;
  // Changes that were added up and not written would be taken for written.
  await db.transaction(async (tx) => {
    if (await addUpChanges(tx, isStopping)) await writeSnapshot(tx, currency);
  });
}

async function writeSnapshot(tx: Queryable, currency: string): Promise<void> {
  const labels = TIERS.flatMap((tier) => SOURCES.map((source) => `${tier}:${source}`));
  await tx.execute(sql`
    INSERT INTO daily_figures (day, name, label, value)
    SELECT (now() AT TIME ZONE 'UTC')::date, name, label, round(sum(value))
    FROM (
      SELECT name, label, value FROM standing_sums WHERE name IN ('active', 'revenue', 'people', 'waiting')
      UNION ALL SELECT 'active', jsonb_array_elements_text(${JSON.stringify(labels)}::jsonb), 0
      UNION ALL SELECT 'revenue', ${currency}, 0
      UNION ALL SELECT 'waiting', 'referral', 0
      UNION ALL SELECT 'refunds_open', '', count(*) FROM (${LATE_REFUNDS}) AS late
    ) AS standing
    GROUP BY name, label
    ON CONFLICT (name, day, label) DO UPDATE SET value = excluded.value, updated_at = now()`);
}
