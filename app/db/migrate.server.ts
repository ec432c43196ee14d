import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { drizzle } from "drizzle-orm/node-postgres";
import { migrate } from "drizzle-orm/node-postgres/migrator";
import { Client, DatabaseError } from "pg";
import { DatabaseAwayError, isLockTimeout } from "./database-away.server.ts";

/** Held while migrating, so that of many processes started at once one migrates and the others wait. */
const MIGRATION_LOCK = 7_130_001;

const PATIENCE = {
  /** How long to wait before a person is told, in milliseconds. */
  notice: 5_000,
  /** How long a database may say nothing before the start fails, in milliseconds. */
  answer: 60_000,
  /**
   * How long a change of the schema may wait for its table, in milliseconds. Everybody who comes after it waits as long,
   * so this is less than any request does, and more than the second after which PostgreSQL sends its own cleaning away.
   */
  lock: 1_500,
  /** How long the others then have the table to themselves, in milliseconds. */
  pause: 2_000,
};

interface Migrating {
  /** Receives the lines a person should see while it waits. */
  say?: (line: string) => void;
  folder?: string;
  patience?: typeof PATIENCE;
}

/**
 * Applies the migrations that are missing, all of them or none. Safe to run by several processes at once, and beside
 * processes that serve: they go on while it waits for a table that is in use.
 *
 * @throws when the database refuses, or says nothing for a minute
 */
export async function applyMigrations(
  url: string,
  { say = () => {}, folder = join(import.meta.dirname, "migrations"), patience = PATIENCE }: Migrating = {},
): Promise<void> {
  const client = await waitForDatabase(url, say, patience);
  try {
    // A large table takes as long as it takes.
    await client.query("SET statement_timeout = 0");
    await client.query(`SET lock_timeout = ${patience.lock}`);
    const migrating = "another process is migrating the database; waiting for it to finish…";
    await retryLocks(() => client.query("SELECT pg_advisory_lock($1)", [MIGRATION_LOCK]), {
      sayOnce: sayOnce(say, migrating, patience.notice),
      pause: 0,
    });
    const inUse = "a table that the new version changes is in use; trying until it is free…";
    await retryLocks(() => migrate(drizzle(client), { migrationsFolder: folder }), {
      sayOnce: sayOnce(say, inUse, 0),
      pause: patience.pause,
    });
  } finally {
    await client.end();
  }
}

/** A connection, as soon as there is one. A database that is still starting, or paused, is waited for. */
async function waitForDatabase(
  url: string,
  say: (line: string) => void,
  patience: typeof PATIENCE,
): Promise<Client> {
  const { hostname, port } = new URL(url);
  const place = `${hostname}:${port || 5432}`;
  const notice = setTimeout(() => say(`waiting for the database at ${place}…`), patience.notice);
  const lastChance = performance.now() + patience.answer;
  try {
    for (;;) {
      const client = new Client({
        connectionString: url,
        connectionTimeoutMillis: Math.max(1, lastChance - performance.now()),
        keepAlive: true,
      });
      // What breaks it fails the query under way, too.
      client.on("error", () => {});
      try {
        await client.connect();
        return client;
      } catch (cause) {
        if (!isWithoutAnswer(cause)) throw cause;
        if (performance.now() >= lastChance)
          throw new DatabaseAwayError(`the database at ${place} does not answer`, { cause });
      }
      await sleep(500);
    }
  } finally {
    clearTimeout(notice);
  }
}

/** Nothing was heard until the driver's own timeout, or that it is not up yet (SQLSTATE 57P03). */
function isWithoutAnswer(error: unknown): boolean {
  if (error instanceof DatabaseError) return error.code === "57P03";
  return error instanceof Error && /^timeout expired$|ETIMEDOUT/.test(error.message);
}

/** Does the work again and again, with pauses, for as long as what it must lock is in use. */
async function retryLocks(
  work: () => Promise<unknown>,
  { sayOnce, pause }: { sayOnce: () => void; pause: number },
): Promise<void> {
  for (;;) {
    try {
      await work();
      return;
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
    }
    sayOnce();
    await sleep(pause);
  }
}

/** What says a line once, and not before this much time has passed. */
function sayOnce(say: (line: string) => void, line: string, afterMilliseconds: number): () => void {
  const since = performance.now();
  let isSaid = false;
  return () => {
    if (isSaid || performance.now() - since < afterMilliseconds) return;
    isSaid = true;
    say(line);
  };
}
