import { setTimeout as sleep } from "node:timers/promises";
import { Pool } from "pg";

/** How long a result is reused, however many requests ask for it. */
const CACHE_MILLISECONDS = 1_000;
/** A database that takes longer counts as not ready. */
const TIMEOUT_MILLISECONDS = 3_000;

/**
 * A write that is rolled back, into a table that most forms write to: fails on a database that is read-only, lacks our
 * tables or is recovering. It does not notice a full disk, because the row may fit into an existing page and a rollback
 * flushes nothing; so numbers are counted in less memory than they take, which spills to a new file of some 70 KB.
 */
const PROBE = `
  BEGIN;
  SET LOCAL work_mem = '64kB';
  INSERT INTO rate_limits (key, hits, expires_at) VALUES ('readyz:' || gen_random_uuid(), ARRAY[now()], now());
  SELECT count(*) FROM generate_series(1, 5000);
  ROLLBACK`;

/**
 * Checks whether the database can be written to, on a connection of its own: a busy pool does not make the process
 * unready.
 */
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
