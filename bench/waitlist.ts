import { Pool } from "pg";
import { connect, endPool } from "../app/db/client.server.ts";
import { confirmPlace } from "../app/waitlist/confirm.server.ts";
import { CONFIG, createMembers } from "../app/waitlist/members.fixture.ts";
import { findPlace } from "../app/waitlist/place.server.ts";
import startCluster from "../test/cluster.ts";
import { createMigratedDatabase, onCluster } from "../test/database.ts";
import { eachOf } from "../test/loops.ts";
import type { Figure } from "./figures.ts";

/** The longest time to find a place's number, in milliseconds, by the size of the list. */
const MOST_MILLISECONDS = { 100000: 20, 1000000: 100 };
const ROUNDS = 9;
const CONFIRMED = 320;
const AT_ONCE = 32;

/**
 * The waitlist as it grows: the time to find the last place's number, as its page does, and how many members confirm in a
 * second, each invited by one of twenty.
 */
export async function run(): Promise<Figure[]> {
  // Ends with this process.
  const endCluster = await startCluster();
  try {
    for (const setting of ["fsync", "full_page_writes", "synchronous_commit"])
      await onCluster(`ALTER SYSTEM SET ${setting} = on`);
    await onCluster("SELECT pg_reload_conf()");
    const figures: Figure[] = [];
    for (const [size, most] of Object.entries(MOST_MILLISECONDS)) {
      const { url } = await createMigratedDatabase();
      const pool = new Pool({ connectionString: url, max: 1 });
      await fillWaitlist(pool, Number(size));
      figures.push({
        name: `the last place's number, of ${size}`,
        value: await measureNumber(url, `member${size}`),
        unit: "ms",
        limit: { most },
      });
      console.log(`with ${size} members, places confirmed a second: ${await measureConfirming(pool, url)}`);
      await endPool(pool);
    }
    return figures;
  } finally {
    await endCluster();
  }
}

/** Fills the waitlist. A third of the members were invited by others. @param pool as a superuser */
async function fillWaitlist(pool: Pool, size: number): Promise<void> {
  await pool.query("SET session_replication_role = replica");
  await pool.query(
    `INSERT INTO waitlist (id, email, referral_code, referred_by, ticket, queue_position, places_given, confirmed_at, confirm_by)
     SELECT 'member' || i, 'waiting' || i || '@example.com', translate(lpad(i::text, 10, '0'), '01', 'gh'),
       CASE WHEN i % 3 = 0 THEN 'member' || i / 3 END, i, i, CASE WHEN i % 3 = 0 THEN 0 END, now(), now()
     FROM generate_series(1, $1::bigint) AS i`,
    [size],
  );
  await pool.query("SELECT setval('waitlist_ticket', $1)", [size]);
  await pool.query("RESET session_replication_role");
  await pool.query("VACUUM (ANALYZE) waitlist");
}

/** @returns the quickest time in milliseconds: other load slows some down, a longer list would slow all down */
async function measureNumber(url: string, id: string): Promise<number> {
  const { db, pool } = connect(url, 1, () => {});
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const begun = performance.now();
    await findPlace(db, id);
    times.push(performance.now() - begun);
  }
  await endPool(pool);
  return Math.min(...times);
}

/** @returns confirmations a second */
async function measureConfirming(owner: Pool, url: string): Promise<number> {
  const members = await createMembers(owner, CONFIRMED, false);
  await owner.query(
    "UPDATE waitlist SET referred_by = 'member' || 1 + abs(hashtext(id)) % 20 WHERE ticket IS NULL",
  );
  const { db, pool } = connect(url, AT_ONCE, () => {});
  const begun = performance.now();
  await eachOf(members, AT_ONCE, async ({ id }) => void (await confirmPlace(db, CONFIG, id)));
  const seconds = (performance.now() - begun) / 1000;
  await endPool(pool);
  return Math.round(CONFIRMED / seconds);
}
