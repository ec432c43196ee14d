import { drizzle, type NodePgDatabase } from "drizzle-orm/node-postgres";
import { migrate } from "drizzle-orm/node-postgres/migrator";
import { Pool } from "pg";
import * as schema from "./schema.ts";

export type Database = NodePgDatabase<typeof schema>;
/** What a query needs: the database, or the one transaction it must stay inside of. */
export type Queryable = Pick<Database, "select" | "insert" | "update" | "delete" | "execute">;

/** Held while migrating, so that of many processes started at once one migrates and the others wait. */
const MIGRATION_LOCK = 7_130_001;
const MIGRATIONS = new URL("./migrations", import.meta.url).pathname;

export interface DatabaseConnection {
  db: Database;
  pool: Pool;
}

/**
 * Opens a pool. Connections are made when first needed.
 *
 * @param poolSize how many connections this process may hold at most
 */
export function connect(
  url: string,
  poolSize: number,
  onIdleError: (error: Error) => void,
): DatabaseConnection {
  const pool = new Pool({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: 20_000,
    statement_timeout: 15_000,
    idle_in_transaction_session_timeout: 15_000,
  });
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on("error", onIdleError);
  return { db: drizzle(pool, { schema }), pool };
}

/** Applies the migrations that are missing. Safe to run by several processes at once. */
export async function applyMigrations(url: string): Promise<void> {
  const pool = new Pool({ connectionString: url, max: 1 });
  try {
    const db = drizzle(pool);
    await db.execute(`SELECT pg_advisory_lock(${MIGRATION_LOCK})`);
    await migrate(db, { migrationsFolder: MIGRATIONS });
  } finally {
    await pool.end();
  }
}
