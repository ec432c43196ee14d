import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { drizzle, type NodePgDatabase } from "drizzle-orm/node-postgres";
import type { Pool } from "pg";
import type { BusinessEvent, NotesEvents } from "../telemetry/events.ts";
import type { DatabasePatience } from "../telemetry/work.server.ts";
import { BoundedPool, type StartQuery } from "./pool.server.ts";

export type Database = NodePgDatabase & { $client: Pool } & NotesEvents;
/** The database, or the transaction that a query has to be part of. */
export type Queryable = Pick<Database, "select" | "insert" | "update" | "delete" | "execute"> & NotesEvents;

/** What a process has to do with its queries. */
export interface DatabaseListeners {
  /** The patience of the request under way, if there is one. */
  patience(): DatabasePatience | undefined;
  /** Called after an event is committed. */
  onEvent(event: BusinessEvent): void;
  onQuery: StartQuery;
}

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
 * @param timeoutSeconds longest time a query, or all queries of a request, may wait for the database before they fail with a
 *   `DatabaseAwayError`
 */
export function connect(
  url: string,
  poolSize: number,
  onLostConnection: (error: Error) => void,
  timeoutSeconds = COMMAND_TIMEOUT_SECONDS,
  listeners?: DatabaseListeners,
): DatabaseConnection {
  const pool = new BoundedPool(
    {
      connectionString: url,
      max: poolSize,
      idle_in_transaction_session_timeout: 15_000,
      ...(listeners && { onQuery: listeners.onQuery, patience: listeners.patience }),
    },
    timeoutSeconds * 1000,
  );
  // A connection outlives the request that it was made for, which has nothing to do with its end.
  const onLost = AsyncLocalStorage.bind(onLostConnection);
  // A connection may break at any moment, idle or in use, and an unhandled "error" event would end the process. The
  // query in progress rejects with the error, and the pool replaces the connection.
  pool.on("error", onLost);
  pool.on("connect", (client) => client.on("error", onLost));
  const db: Database = drizzle(pool);
  if (listeners) db.noted = { push: (...events) => tell(events) };
  // Drizzle's own `transaction` leaks the connection when BEGIN fails.
  db.transaction = async (work, config) => {
    const noted: BusinessEvent[] = [];
    const done = await pool.withTransaction((client) =>
      drizzle(client).transaction((tx) => work(Object.assign(tx, { noted })), config),
    );
    tell(noted);
    return done;
  };
  return { db, pool };

  function tell(events: readonly BusinessEvent[]): number {
    for (const event of events) listeners?.onEvent(event);
    return events.length;
  }
}

/** How long connections may take to close. */
const CLOSE_TIMEOUT_MILLISECONDS = 5_000;

/** Closes a pool. Gives up on connections that never report their end, as one cut at an unlucky moment may not. */
export async function endPool(pool: Pool): Promise<void> {
  await Promise.race([pool.end(), sleep(CLOSE_TIMEOUT_MILLISECONDS, undefined, { ref: false })]);
}
