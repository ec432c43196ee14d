import { setTimeout as sleep } from "node:timers/promises";
import { drizzle } from "drizzle-orm/node-postgres";
import { migrate } from "drizzle-orm/node-postgres/migrator";
import { Client, DatabaseError } from "pg";
import { DatabaseAwayError, isDatabaseAway, isLockConflict } from "./database-away.server.ts";
import { findMigrationState, findPending, MIGRATIONS_FOLDER } from "./migration-state.server.ts";
import { giveRights } from "./roles.server.ts";

/** Of several processes started at once one migrates and the others wait. */
const MIGRATION_LOCK = 7_130_001;

/** In milliseconds. */
const TIMEOUTS = {
  /** Before the operator is told what it waits for. */
  notice: 5_000,
  /** Of a command, for a writable database. A start waits as long as it takes. */
  answer: 60_000,
  /** Later queries queue behind it. More than the second (deadlock_timeout) after which a blocking autovacuum is canceled. */
  lock: 1_500,
  /** Between two attempts, for the other queries on the table. */
  pause: 2_000,
};

const NEWER = "the schema of the database is newer than this code, which goes on with what it knows of it";

interface MigrationOptions {
  /** If that role does not own the tables: it is given its rights (roles.server.ts). */
  siteUrl?: string;
  say?: (line: string) => void;
  folder?: string;
  timeouts?: typeof TIMEOUTS;
}

/**
 * Applies pending migrations in one transaction, as the owner of the tables, and gives the site its rights. Safe from several processes
 * and beside serving ones. Changes nothing in a database of a newer version.
 * @returns the names of those it applied
 * @throws DatabaseAwayError when the database cannot be written to for a minute; RoleError when the site's role could do more than it
 * should
 */
export async function applyMigrations(
  url: string,
  { siteUrl = url, say = () => {}, folder = MIGRATIONS_FOLDER, timeouts = TIMEOUTS }: MigrationOptions = {},
): Promise<string[]> {
  const client = await connectToPrimary(url, say, timeouts);
  try {
    // Changing a large table may take long.
    await client.query("SET statement_timeout = 0");
    await client.query(`SET lock_timeout = ${timeouts.lock}`);
    const migrating = "another process is migrating the database; waiting for it to finish…";
    const lock = () => client.query("SELECT pg_advisory_lock($1)", [MIGRATION_LOCK]);
    await retryLocks(lock, 0, sayOnce(say, migrating, timeouts.notice));
    if ((await findMigrationState(client, folder)) === "newer") {
      say(NEWER);
      return [];
    }
    const pending = await findPending(client, folder);
    const inUse = "a table that the new version changes is in use; trying until it is free…";
    const change = () => migrate(drizzle(client), { migrationsFolder: folder });
    await retryLocks(change, timeouts.pause, sayOnce(say, inUse, 0));
    if (siteUrl !== url) await retryLocks(() => giveRights(client, siteUrl), 0);
    return pending;
  } finally {
    await client.end();
  }
}

/** Older than this code, which may not change it. */
export class SchemaError extends Error {
  override name = "SchemaError";
}

/**
 * The owner of the tables migrates; others only look. Waits for a writable database, as during a failover.
 * @param ownerUrl the same as `siteUrl` when only that is known
 * @returns whether the site itself owns the tables
 * @throws SchemaError when it is older and this process is not the owner; what `applyMigrations` throws
 */
export async function prepareSchema(
  { ownerUrl, siteUrl }: { ownerUrl: string; siteUrl: string },
  say: (line: string) => void,
): Promise<{ isOwner: boolean }> {
  const timeouts = { ...TIMEOUTS, answer: Number.POSITIVE_INFINITY };
  const migrateFirst = async (isOwner: boolean) => {
    await applyMigrations(ownerUrl, { siteUrl, say, timeouts });
    // By another route than the owner's, such as a pooler.
    if (!isOwner) await (await connectToPrimary(siteUrl, say, timeouts)).end();
    return { isOwner };
  };
  if (ownerUrl !== siteUrl) return migrateFirst(false);
  const client = await connectToPrimary(siteUrl, say, timeouts);
  try {
    const isOwner = await ownsSchema(client);
    const state = await findMigrationState(client);
    // Through a pooler the lock could stay behind with another's connection.
    if (state === "current") return { isOwner };
    if (isOwner) return await migrateFirst(true);
    if (state === "newer") {
      say(NEWER);
      return { isOwner };
    }
    const pending = await findPending(client);
    throw new SchemaError(
      `the schema of the database is older than this code, and the role of DATABASE_URL may not change it. Run ` +
        `\`npm run migrate\` with DATABASE_OWNER_URL first: it applies ${pending.join(", ")}`,
    );
  } finally {
    await client.end();
  }
}

/** Or may make them where there are none. */
async function ownsSchema(client: Client): Promise<boolean> {
  const { rows } = await client.query(`
    SELECT coalesce(
      (SELECT pg_has_role(relowner, 'MEMBER') FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = relnamespace
        WHERE nspname = 'drizzle' AND relname = '__drizzle_migrations'),
      has_database_privilege(current_database(), 'CREATE')) AS may`);
  return rows[0]?.may === true;
}

/** Waits for a database that is starting, away or a standby, and says so every few seconds. */
async function connectToPrimary(
  url: string,
  say: (line: string) => void,
  timeouts: typeof TIMEOUTS,
): Promise<Client> {
  const { hostname, port } = new URL(url);
  const place = `${hostname}:${port || 5432}`;
  const deadline = performance.now() + timeouts.answer;
  let nextNotice = performance.now() + timeouts.notice;
  for (;;) {
    const client = new Client({
      connectionString: url,
      connectionTimeoutMillis: timeouts.notice,
      keepAlive: true,
    });
    client.on("error", () => {});
    try {
      await client.connect();
      const { rows } = await client.query("SHOW transaction_read_only");
      if (rows[0].transaction_read_only === "off") return client;
      throw new DatabaseAwayError("it is a standby, or read-only");
    } catch (cause) {
      void client.end().catch(() => {});
      if (!mayPass(cause)) throw cause;
      const now = performance.now();
      if (now >= deadline)
        throw new DatabaseAwayError(`the database at ${place} does not answer: ${reasonOf(cause)}`, {
          cause,
        });
      if (now >= nextNotice) {
        say(`waiting for the database at ${place}: ${reasonOf(cause)}`);
        nextNotice = now + timeouts.notice;
      }
    }
    await sleep(Math.min(500, timeouts.notice));
  }
}

/** PgBouncer’s own errors without a primary have the SQLSTATE of a wrong setting. */
const POOLER_MESSAGES =
  /server_login_retry|query_wait_timeout|pgbouncer cannot connect|server (conn crashed|login failed)/;

/** Neither the name, the password nor the settings are wrong. */
function mayPass(error: unknown): boolean {
  if (error instanceof DatabaseError)
    return /^(53|57P)/.test(error.code ?? "") || POOLER_MESSAGES.test(error.message);
  return isDatabaseAway(error) && !(error instanceof Error && "code" in error && error.code === "ENOTFOUND");
}

/** Of a name with several addresses, Node's error has only a code. */
function reasonOf(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException;
  return message || (code ?? "");
}

async function retryLocks(
  work: () => Promise<unknown>,
  pause: number,
  onWait: () => void = () => {},
): Promise<void> {
  for (;;) {
    try {
      await work();
      return;
    } catch (error) {
      if (!isLockConflict(error)) throw error;
    }
    onWait();
    await sleep(pause);
  }
}

/** On the first call after this much time. */
function sayOnce(say: (line: string) => void, line: string, afterMilliseconds: number): () => void {
  const since = performance.now();
  let isSaid = false;
  return () => {
    if (isSaid || performance.now() - since < afterMilliseconds) return;
    isSaid = true;
    say(line);
  };
}
