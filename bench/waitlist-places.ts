import { Pool } from "pg";
import { connect, endPool } from "../app/db/client.server.ts";
import { findPlace } from "../app/waitlist/place.server.ts";
import type { Figure } from "./figures.ts";

const ROUNDS = 9;
/** Places looked up in a round. */
const LOOKED_UP = 500;
/** How much slower the largest list may be than the smallest. */
const MOST_GROWTH = 1.2;

/**
 * How long a place's number takes to find, as its page does it, in databases of so many members side by side.
 *
 * @param createDatabase makes a migrated one and says its URL, as a superuser
 */
export async function measurePlaces(
  createDatabase: () => Promise<string>,
  sizes: readonly number[],
): Promise<Figure[]> {
  const lists = [];
  for (const size of sizes) {
    const url = await createDatabase();
    const pool = new Pool({ connectionString: url, max: 1 });
    await fillWaitlist(pool, size);
    lists.push({ size, pool, ...(await createLookUp(pool, url)) });
  }
  // Once more than is counted, and that one is not: it fetches what the others find in memory.
  for (const { lookUp } of lists) await lookUp();
  const rounds: number[][][] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const times = [];
    for (const { lookUp } of lists) times.push(await lookUp());
    rounds.push(times);
  }
  const results = [];
  for (const [index, { size, pool, buffers, end }] of lists.entries()) {
    // Of each place the quickest time: what else the machine does makes some slower, a longer list would make all.
    const quickest = Array.from({ length: LOOKED_UP }, (_, place) =>
      Math.min(...rounds.map((times) => times[index]?.[place] ?? Number.NaN)),
    ).toSorted((a, b) => a - b);
    const at = (share: number) => quickest[Math.floor(LOOKED_UP * share)] ?? Number.NaN;
    results.push({ size, p50: at(0.5), p99: at(0.99), buffers: await buffers() });
    await Promise.all([end(), endPool(pool)]);
  }
  console.log("members    p50 ms   p99 ms   pages of the database read for one number");
  for (const { size, p50, p99, buffers } of results)
    console.log(
      `${String(size).padEnd(9)} ${p50.toFixed(3).padStart(7)} ${p99.toFixed(3).padStart(8)} ${buffers.toFixed(1).padStart(8)}`,
    );
  const [first, last] = [results[0], results.at(-1)];
  if (!first || !last) return [];
  const what = (percentile: string) =>
    `a place's ${percentile} at ${last.size} members, of that at ${first.size}`;
  return [
    { name: what("p50"), value: last.p50 / first.p50, unit: "×", limit: { most: MOST_GROWTH } },
    { name: what("p99"), value: last.p99 / first.p99, unit: "×", limit: { most: MOST_GROWTH } },
  ];
}

/**
 * A waitlist of so many members, of whom a third were brought by others and the first 9,500 were invited.
 *
 * @param pool as a superuser, of a migrated database without a waitlist
 */
async function fillWaitlist(pool: Pool, size: number): Promise<void> {
  const client = await pool.connect();
  const begun = performance.now();
  try {
    await client.query("SET session_replication_role = replica; SET maintenance_work_mem = '512MB'");
    // Made anew once the rows are there, which is quicker: indexes, and constraints that have one or need one.
    const { rows: kept } = await client.query<{ away: string; back: string }>(
      `SELECT format('ALTER TABLE waitlist DROP CONSTRAINT %I', conname) AS away,
         format('ALTER TABLE waitlist ADD CONSTRAINT %I %s', conname, pg_get_constraintdef(oid)) AS back,
         contype = 'f' AS is_last
       FROM pg_constraint WHERE conrelid = 'waitlist'::regclass AND contype IN ('p', 'u', 'f')
       UNION ALL SELECT format('DROP INDEX %s', indexrelid::regclass), pg_get_indexdef(indexrelid), false
       FROM pg_index WHERE indrelid = 'waitlist'::regclass AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)
       ORDER BY is_last`,
    );
    for (const { away } of kept.toReversed()) await client.query(away);
    await client.query(
      `INSERT INTO waitlist_invitations (id, size, tier, duration_months, created_at)
       VALUES ('invitation', 9500, 'premium', 1, now() - interval '1 minute')`,
    );
    await client.query(
      `INSERT INTO waitlist (id, email, token, referral_code, referred_by, ticket, confirmed_at, confirm_by, invitation_id)
       SELECT 'member' || i, 'waiting' || i || '@example.com', rpad('t' || i, 43, 'x'),
         translate(lpad(i::text, 10, '0'), '01', 'gh'), CASE WHEN i % 3 = 0 THEN 'member' || i / 3 END, i,
         now() - ($1 - i) * interval '1 second', now(), CASE WHEN i <= 9500 AND i <= $1 / 2 THEN 'invitation' END
       FROM generate_series(1, $1::bigint) AS i`,
      [size],
    );
    for (const { back } of kept) await client.query(back);
    await client.query("SELECT setval('waitlist_ticket', $1)", [size]);
    const filled = performance.now();
    await client.query("RESET session_replication_role; SELECT waitlist_rebuild()");
    const [filling, building] = [filled - begun, performance.now() - filled];
    console.log(
      `${size} members in ${seconds(filling)}; their order, by the migration: ${seconds(building)}`,
    );
  } finally {
    client.release(true);
  }
  await pool.query("VACUUM (ANALYZE) waitlist, waitlist_slots, waitlist_counts");
}

const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1)} s`;

/** What looks up the places of some members as their pages do, with one connection. */
async function createLookUp(pool: Pool, url: string) {
  // Spread over the list, and the same ones each time: what they touch is in memory.
  const { rows } = await pool.query<{ ticket: string; id: string }>(
    `SELECT ticket, id FROM waitlist JOIN (
       SELECT (SELECT ticket FROM waitlist_slots WHERE slot >= lowest + (highest - lowest) * i / $1 ORDER BY slot LIMIT 1) AS ticket
       FROM (SELECT min(slot) AS lowest, max(slot) AS highest FROM waitlist_slots) AS ends, generate_series(1, $1::int) AS i
     ) AS sample USING (ticket)`,
    [LOOKED_UP],
  );
  const { db, pool: own } = connect(url, 1, () => {});
  return {
    end: () => endPool(own),
    /** @returns how long each took, in milliseconds */
    async lookUp(): Promise<number[]> {
      const times: number[] = [];
      for (const { id } of rows) {
        const begun = performance.now();
        await findPlace(db, id);
        times.push(performance.now() - begun);
      }
      return times;
    },
    /** @returns how many pages of the database one number takes on average: a measure without a clock */
    async buffers(): Promise<number> {
      const { rows: plan } = await own.query(
        "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT waitlist_number(ticket) FROM unnest($1::bigint[]) AS ticket",
        [rows.map(({ ticket }) => ticket)],
      );
      const { Plan: node } = plan[0]["QUERY PLAN"][0];
      return (node["Shared Hit Blocks"] + node["Shared Read Blocks"]) / rows.length;
    },
  };
}
