import { setTimeout as sleep } from "node:timers/promises";
import { Pool } from "pg";

/** How long an answer holds, in milliseconds: however many ask, the database is asked once. */
const HOLDS_MILLISECONDS = 1_000;
/** How long the database may take, in milliseconds. One that takes longer is none to serve with. */
const TIMEOUT_MILLISECONDS = 3_000;

/**
 * A write that is rolled back, into a table that most forms write to: refused by a database that may only be read, that
 * lacks our tables or that is recovering. A row may fit into a page that is there already, though, and rolling back
 * flushes nothing; so numbers are counted in less memory than they take, which goes through a new file of some 70 KB,
 * and for that a full disk has no room.
 */
const PROBE = `
  BEGIN;
  SET LOCAL work_mem = '64kB';
  INSERT INTO rate_limits (key, hits, expires_at) VALUES ('readyz:' || gen_random_uuid(), ARRAY[now()], now());
  SELECT count(*) FROM generate_series(1, 5000);
  ROLLBACK`;

/**
 * Whether the database can be written to, asked on a connection of its own: how busy the others are is not the
 * question.
 */
export function watchReadiness(url: string, log: { warn(fields: object, message: string): void }) {
  const pool = new Pool({
    connectionString: url,
    max: 1,
    connectionTimeoutMillis: TIMEOUT_MILLISECONDS,
    statement_timeout: TIMEOUT_MILLISECONDS,
    query_timeout: TIMEOUT_MILLISECONDS,
  });
  // What cuts the connection fails the next question too.
  pool.on("error", () => {});
  let last: { askedAt: number; answer: Promise<boolean> } | undefined;
  let isAsking = false;

  async function ask(): Promise<boolean> {
    isAsking = true;
    try {
      await pool.query(PROBE);
      return true;
    } catch (error) {
      log.warn({ error }, "the database cannot be written to");
      return false;
    } finally {
      isAsking = false;
    }
  }

  return {
    isReady(): Promise<boolean> {
      const now = performance.now();
      if (!last || (!isAsking && now - last.askedAt > HOLDS_MILLISECONDS))
        last = { askedAt: now, answer: ask() };
      return Promise.race([last.answer, sleep(TIMEOUT_MILLISECONDS, false, { ref: false })]);
    },
    close: () => pool.end(),
  };
}
