import { setTimeout as sleep } from "node:timers/promises";
import { drizzle, type NodePgDatabase } from "drizzle-orm/node-postgres";
import type { Pool } from "pg";
import { BoundedPool } from "./pool.server.ts";

export type Database = NodePgDatabase;
/** What a query needs: the database, or the one transaction it must stay inside of. */
export type Queryable = Pick<Database, "select" | "insert" | "update" | "delete" | "execute">;

export interface DatabaseConnection {
  db: Database;
  pool: Pool;
}

/** For a command, which nobody waits for but the person who called it. */
const PATIENT_SECONDS = 30;

/**
 * Opens a pool. Connections are made when first needed.
 *
 * @param poolSize how many connections this process may hold at most
 * @param timeoutSeconds how long anybody waits for the database before they are told that it is away
 */
export function connect(
  url: string,
  poolSize: number,
  onLostConnection: (error: Error) => void,
  timeoutSeconds = PATIENT_SECONDS,
): DatabaseConnection {
  const pool = new BoundedPool(
    { connectionString: url, max: poolSize, idle_in_transaction_session_timeout: 15_000 },
    timeoutSeconds * 1000,
  );
  // A connection may break at any moment, idle or in use; without listeners that would end the process. Whoever
  // uses it gets the error from their query, and the pool replaces it.
  pool.on("error", onLostConnection);
  pool.on("connect", (client) => client.on("error", onLostConnection));
  const db = drizzle(pool);
  // Drizzle's own keeps the connection for ever when BEGIN fails (decision 0013).
  db.transaction = (work, config) =>
    pool.withTransaction((client) => drizzle(client).transaction(work, config));
  return { db, pool };
}

/** How long connections may take to say goodbye, in milliseconds. */
const GOODBYE_MILLISECONDS = 5_000;

/** Closes a pool. A connection that was cut at an unlucky moment never says that it has ended, and nobody waits for it. */
export async function endPool(pool: Pool): Promise<void> {
  await Promise.race([pool.end(), sleep(GOODBYE_MILLISECONDS, undefined, { ref: false })]);
}
