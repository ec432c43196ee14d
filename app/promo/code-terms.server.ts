import { type SQL, sql } from "drizzle-orm";
import { promoCodes } from "./schema.ts";

/** Adds an interval to an instant in UTC, whatever the connection's time zone; month ends clamp. */
export function addInterval(instant: SQL, interval: SQL): SQL {
  return sql`(${instant} AT TIME ZONE 'UTC' + ${interval}) AT TIME ZONE 'UTC'`;
}

/** When a grant made in this transaction expires (spec §9); as text, because a Date would lose the microseconds. */
export const GRANT_EXPIRY = addInterval(
  sql`now()`,
  sql`CASE WHEN ${promoCodes.durationType} = 'forever' THEN interval '100 years'
    ELSE make_interval(months => coalesce(${promoCodes.durationMonths}, 1)) END`,
) as SQL<string>;

/** What redeeming has decided by, to notice that it was changed meanwhile. */
export const TERMS = sql<string>`concat_ws(' ', coalesce(${promoCodes.tier}, '-'), ${promoCodes.durationType},
  ${promoCodes.durationMonths}, ${promoCodes.confirmedOnly}, ${promoCodes.oncePerMailbox})`;
