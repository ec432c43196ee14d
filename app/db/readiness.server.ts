import { setTimeout as sleep } from "node:timers/promises";
import { Pool } from "pg";

/** However many requests ask. */
const CACHE_MILLISECONDS = 1_000;
/** A slower database counts as not ready. */
const TIMEOUT_MILLISECONDS = 3_000;

/** A write that is rolled back. Numbers counted in too little memory spill to a new file of some 70 KB: a full disk is noticed. */
const PROBE = `
  BEGIN;
  SET LOCAL work_mem = '64kB';
  INSERT INTO rate_limits (key, hits, expires_at) VALUES ('readyz:' || gen_random_uuid(), ARRAY[now()], now());
  SELECT count(*) FROM generate_series(1, 5000);
  ROLLBACK`;

/** On a connection of its own: a busy pool does not make the process unready. */
export function watchReadiness(url: string, log: { error(fields: object, message: string): void }) {
  const pool = new Pool({
    connectionString: url,
    max: 1,
    connectionTimeoutMillis: TIMEOUT_MILLISECONDS,
    statement_timeout: TIMEOUT_MILLISECONDS,
    query_timeout: TIMEOUT_MILLISECONDS,
  });
  // A lost connection fails the next probe as well.
  pool.on("error", () => {});
  let last: { startedAt: number; result: Promise<boolean> } | undefined;
  let isProbing = false;

  async function probe(): Promise<boolean> {
    isProbing = true;
    try {
      await pool.query(PROBE);
      return true;
    } catch (error) {
      log.error({ error }, "the database cannot be written to");
      return false;
    } finally {
      isProbing = false;
    }
  }

  return {
    isReady(): Promise<boolean> {
      const now = performance.now();
      if (!last || (!isProbing && now - last.startedAt > CACHE_MILLISECONDS))
        last = { startedAt: now, result: probe() };
      return Promise.race([last.result, sleep(TIMEOUT_MILLISECONDS, false, { ref: false })]);
    },
    close: () => pool.end(),
  };
}
