import { afterAll, beforeAll, expect, test } from "vitest";
import { openDatabase } from "../../test/database.ts";
import { JOBS } from "../admin/jobs/jobs.server.ts";
import { connect, type Database, endPool } from "../db/client.server.ts";
import { readOverviewCounts } from "../figures/overview-counts.server.ts";

/** More than a page of the index by number holds, so that the one by when, in which alike ones share an entry, looks cheaper. */
const OPEN = 600;

let database: Awaited<ReturnType<typeof openDatabase>>;

beforeAll(async () => {
  database = await openDatabase();
  // Without statistics of an open job, as when there are some hundred among millions: the sample misses them.
  await database.pool.query(
    `INSERT INTO outbox (kind, payload, done_at) SELECT 'sync_customer', '{}', now() FROM generate_series(1, 20000)`,
  );
  await database.pool.query("VACUUM (ANALYZE) outbox");
  await database.pool.query(
    `INSERT INTO outbox (kind, payload, dedupe_key) SELECT 'sync_customer', '{}', i FROM generate_series(1, ${OPEN}) AS i`,
  );
});

afterAll(() => database.close());

const WORK: Record<string, { work: (db: Database) => Promise<unknown>; most: number }> = {
  "the console’s list reads a page": {
    work: (db) => JOBS.read(db, { sort: "created", filters: {}, from: null, isDescending: true }, 50),
    most: 51,
  },
  // It counts all that are open, up to a bound, and looks at the one that has been due longest.
  "the overview reads each once for its count": { work: readOverviewCounts, most: 2 * OPEN + 1 },
};

test.each(Object.entries(WORK))(
  "%s, though the planner expects one open job",
  async (_what, { work, most }) => {
    // Of one connection, which says what it read when it is idle.
    const { db, pool } = connect(database.url, 1, () => {});
    const readRows = async () => {
      await pool.query("SELECT pg_stat_force_next_flush()");
      const { rows } = await pool.query<{ rows: number }>(
        "SELECT sum(idx_tup_read)::int AS rows FROM pg_stat_user_indexes WHERE relname = 'outbox'",
      );
      return rows[0]?.rows ?? 0;
    };
    const before = await readRows();
    await work(db);
    const read = (await readRows()) - before;
    await endPool(pool);
    expect(read).toBeGreaterThan(50);
    expect(read).toBeLessThanOrEqual(most);
  },
);
