import { setTimeout as sleep } from "node:timers/promises";
import { drizzle, type NodePgDatabase } from "drizzle-orm/node-postgres";
import type { Pool } from "pg";
import { BoundedPool } from "./pool.server.ts";

export type Database = NodePgDatabase & { $client: Pool };
/** The database, or the transaction that a query has to be part of. */
export type Queryable = Pick<Database, "select" | "insert" | "update" | "delete" | "execute">;

export interface DatabaseConnection {
  db: Database;
  pool: BoundedPool;
}

/** Default for commands, which can wait longer than a request. */
const COMMAND_TIMEOUT_SECONDS = 30;

/**
 * Opens a pool. Connections are made on first use.
 *
 * @param poolSize maximum number of connections of this process
 * @param timeoutSeconds longest time a query may wait for the database before it fails with a `DatabaseAwayError`
 */
export function connect(
  url: string,
  poolSize: number,
  onLostConnection: (error: Error) => void,
  timeoutSeconds = COMMAND_TIMEOUT_SECONDS,
): DatabaseConnection {
  const pool = new BoundedPool(
    { connectionString: url, max: poolSize, idle_in_transaction_session_timeout: 15_000 },
    timeoutSeconds * 1000,
  );
  // A connection may break at any moment, idle or in use, and an unhandled "error" event would end the process. The
  // query in progress rejects with the error, and the pool replaces the connection.
  pool.on("error", onLostConnection);
  pool.on("connect", (client) => client.on("error", onLostConnection));
  const db = drizzle(pool);
  // Drizzle's own `transaction` leaks the connection when BEGIN fails (decision 0013).
  db.transaction = (work, config) =>
    pool.withTransaction((client) => drizzle(client).transaction(work, config));
  return { db, pool };
}

/** How long connections may take to close. */
const CLOSE_TIMEOUT_MILLISECONDS = 5_000;

/** Closes a pool. Gives up on connections that never report their end, as one cut at an unlucky moment may not. */
export async function endPool(pool: Pool): Promise<void> {
  await Promise.race([pool.end(), sleep(CLOSE_TIMEOUT_MILLISECONDS, undefined, { ref: false })]);
}
