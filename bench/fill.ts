import type { Pool, PoolClient } from "pg";
import { ROWS } from "./console-data.ts";

/** Tables filled at the same time: one for each core, most of which sorting for indexes needs. */
const AT_ONCE = 2;
/** Rows of a statement: what is still to be vacuumed is then mostly in memory, and a failure comes soon. */
const PART = 1_000_000;
/** Such a session checks no references, has no triggers run, and sorts in memory. A session of two needs no third core for it. */
const SETTINGS = `SET session_replication_role = replica; SET synchronous_commit = off; SET statement_timeout = 0;
  SET maintenance_work_mem = '1GB'; SET max_parallel_maintenance_workers = 0`;

export interface FillOptions {
  /** Which tables; all without it. */
  tables?: readonly string[];
  /** Which jobs and mails wait, as SQL. */
  isWaiting?: string;
  /** Which mails were given up, as SQL. */
  isGivenUp?: string;
}

/**
 * Fills a migrated database with so many users, redemptions, mails and so on, and vacuums it as autovacuum would have by and by:
 * lists read some of it from the indexes alone. Its indexes are made anew once the rows are there, and references are not checked.
 *
 * @param pool as a superuser, of two connections or more
 */
export async function fill(
  pool: Pool,
  size: number,
  { tables = Object.keys(ROWS), isWaiting = "i % 1000 = 0", isGivenUp = "i % 1000 = 1" }: FillOptions = {},
): Promise<void> {
  await pool.query("INSERT INTO database_purpose (purpose) VALUES ('sandbox')");
  await pool.query(
    `INSERT INTO waitlist_invitations (id, size, tier, duration_months, created_at, finished_at)
     VALUES ('invitation', 9500, 'premium', 1, now(), now())`,
  );
  const wanted = Object.keys(ROWS).filter((table) => tables.includes(table));
  // The widest first, so that both end at about the same time.
  const left = wanted.toSorted((one, other) => widthOf(other) - widthOf(one)).values();
  const fillTables = () =>
    withSession(pool, async (client) => {
      for (const table of left)
        await fillTable(client, table, size, (values) =>
          values
            .replaceAll("$size", String(size))
            .replaceAll("$isWaiting", isWaiting)
            .replaceAll("$isGivenUp", isGivenUp),
        );
    });
  await Promise.all(Array.from({ length: AT_ONCE }, fillTables));
  await withSession(pool, async (client) => {
    if (wanted.includes("waitlist")) {
      await client.query("SELECT setval('waitlist_ticket', (SELECT max(ticket) FROM waitlist))");
    }
    const others = await tablesBut(client, wanted);
    await client.query(`VACUUM (ANALYZE) ${others.join(", ")}`);
  });
}

/** How much there is to write and to sort, about. */
function widthOf(table: string): number {
  const { share = 1, rows, columns = "" } = ROWS[table] ?? {};
  return rows === undefined ? columns.length * share : 0;
}

async function withSession<Result>(
  pool: Pool,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  try {
    await client.query(SETTINGS);
    return await work(client);
  } finally {
    // Its settings go with it.
    client.release(true);
  }
}

async function fillTable(
  client: PoolClient,
  table: string,
  size: number,
  replace: (values: string) => string,
): Promise<void> {
  const {
    share = 1,
    rows = Math.ceil(size * share),
    columns,
    values,
  } = ROWS[table] ?? { columns: "", values: "" };
  // Not dropped, so that no definition has to be kept, nor a reference to a key be checked again: REINDEX makes them ready.
  await client.query(
    "UPDATE pg_index SET indisready = false, indisvalid = false WHERE indrelid = $1::regclass",
    [`"${table}"`],
  );
  for (let from = 1; from <= rows; from += PART) {
    const to = Math.min(rows, from + PART - 1);
    // In the list of columns the numbers come one by one; in FROM all of them would be put into a file first.
    await client.query(
      `INSERT INTO "${table}" (${columns}) SELECT ${replace(values)} FROM (SELECT generate_series(${from}, ${to}) AS i) AS numbers`,
    );
  }
  // Before the indexes, so that those of the table are not looked through for dead rows, and reads of it find everything visible.
  await client.query(`VACUUM "${table}"`);
  await client.query(`REINDEX TABLE "${table}"`);
  // Now also of what indexes calculate.
  await client.query(`ANALYZE "${table}"`);
}

async function tablesBut(client: PoolClient, tables: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT oid::regclass::text AS name FROM pg_class
     WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname <> ALL ($1)`,
    [tables],
  );
  return rows.map(({ name }) => name);
}
