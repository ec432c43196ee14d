import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { drizzle, type NodePgDatabase } from "drizzle-orm/node-postgres";
import type { Pool } from "pg";
import type { BusinessEvent, NotesEvents } from "../telemetry/events.ts";
import type { DatabasePatience } from "../telemetry/work.server.ts";
import { BoundedPool, type StartQuery } from "./pool.server.ts";

export type Database = NodePgDatabase & { $client: Pool } & NotesEvents;
/** A database, or the transaction that a query is part of. */
export type Queryable = Pick<Database, "select" | "$count" | "insert" | "update" | "delete" | "execute"> &
  NotesEvents;

export interface DatabaseListeners {
  patience(): DatabasePatience | undefined;
  onEvent(event: BusinessEvent): void;
  onQuery: StartQuery;
}

export type DatabaseConnection = ReturnType<typeof connect>;

/** Commands can wait longer than a request. */
const COMMAND_TIMEOUT_SECONDS = 30;

/** @param timeoutSeconds for a query, or all queries of a request, before a `DatabaseAwayError` */
export function connect(
  url: string,
  poolSize: number,
  onLostConnection: (error: Error) => void,
  timeoutSeconds = COMMAND_TIMEOUT_SECONDS,
  listeners?: DatabaseListeners,
): { db: Database; pool: BoundedPool } {
  const pool = new BoundedPool(
    {
      connectionString: url,
      max: poolSize,
      idle_in_transaction_session_timeout: 15_000,
      ...(listeners && { onQuery: listeners.onQuery, patience: listeners.patience }),
    },
    timeoutSeconds * 1000,
  );
  // A connection outlives the request that it was made for.
  const onLost = AsyncLocalStorage.bind(onLostConnection);
  // An unhandled "error" event would end the process. The query in progress rejects with the error, and the pool replaces the
  // connection.
  pool.on("error", onLost);
  pool.on("connect", (client) => client.on("error", onLost));
  const db: Database = drizzle(pool);
  if (listeners) db.noted = { push: (...events) => tell(events) };
  // Instead of Drizzle's own, which leaks the connection when BEGIN fails. What was noted (`noteEvent`) is told after the commit.
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

const CLOSE_TIMEOUT_MILLISECONDS = 5_000;

/** Gives up on connections that never report their end, as one cut at an unlucky moment may not. */
export async function endPool(pool: Pool): Promise<void> {
  await Promise.race([pool.end(), sleep(CLOSE_TIMEOUT_MILLISECONDS, undefined, { ref: false })]);
}
