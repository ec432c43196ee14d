import type { Pool } from "pg";
import { eventually } from "./http.ts";

/** Waits until so many statements of this database wait for a lock. @param like of what they begin with, or any */
export function waitForLocks(pool: Pool, count = 1, like = "%"): Promise<unknown> {
  return eventually(async () => {
    const { rowCount } = await pool.query(
      "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE $1",
      [like],
    );
    return rowCount === count;
  }, `${count} waiting for a lock: ${like}`);
}
