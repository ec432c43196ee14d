import { randomBytes } from "node:crypto";
import { Client } from "pg";
import { connect, type DatabaseConnection, endPool } from "../app/db/client.server.ts";
import { siteUrlOf } from "../app/db/embedded.server.ts";
import { applyMigrations } from "../app/db/migrate.server.ts";

/** The template of every fresh database with the schema: migrating each would take five times as long. */
const TEMPLATE = "migrated_template";

/** Creates the template in a new cluster. @param clusterUrl as its owner */
export async function createTemplate(clusterUrl: string): Promise<void> {
  const client = new Client({ connectionString: clusterUrl });
  await client.connect();
  // Test data need not survive a power cut.
  for (const setting of ["fsync", "full_page_writes", "synchronous_commit"])
    await client.query(`ALTER SYSTEM SET ${setting} = off`);
  // A connection's password is hashed once, not 4,096 times.
  await client.query("ALTER SYSTEM SET scram_iterations = 1");
  await client.query("SELECT pg_reload_conf()");
  await client.query(`CREATE DATABASE ${TEMPLATE}`).finally(() => client.end());
  const url = Object.assign(new URL(clusterUrl), { pathname: `/${TEMPLATE}` }).href;
  await applyMigrations(url, { siteUrl: siteUrlOf(url) });
}

/** Creates a fresh database with the schema in the run's cluster. `drop` removes it. */
export function createMigratedDatabase(): ReturnType<typeof createDatabase> {
  return createDatabase(TEMPLATE);
}

/** Creates a fresh, empty database in the run's cluster. `drop` removes it. */
export async function createDatabase(
  template = "template1",
): Promise<{ url: string; drop(): Promise<unknown> }> {
  const name = `test_${randomBytes(6).toString("hex")}`;
  await onCluster(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`);
  const url = new URL(clusterUrl());
  url.pathname = `/${name}`;
  // Not WITH (FORCE), which would cut off connections that are just closing; DROP waits for them.
  return { url: url.href, drop: () => onCluster(`DROP DATABASE ${name}`) };
}

/** Creates a fresh database with the schema and connects to it. */
export async function openDatabase(): Promise<
  DatabaseConnection & {
    /** As the site's role, like `db`. */
    url: string;
    /** As the owner of the tables, like `pool`: to prepare and inspect. */
    ownerUrl: string;
    close(): Promise<void>;
  }
> {
  const { url: ownerUrl, drop } = await createMigratedDatabase();
  const url = siteUrlOf(ownerUrl);
  const { pool } = connect(ownerUrl, 20, () => {});
  const { db } = connect(url, 20, () => {});
  return {
    db,
    pool,
    url,
    ownerUrl,
    async close() {
      await Promise.all([endPool(pool), endPool(db.$client)]);
      await drop();
    },
  };
}

/** Settings for a server on a test database: it connects as the site's role, as in production. */
export function databaseSettings(databaseUrl: string): { DATABASE_URL: string; DATABASE_OWNER_URL: string } {
  const { username, password } = new URL(clusterUrl());
  const ownerUrl = Object.assign(new URL(databaseUrl), { username, password }).href;
  return { DATABASE_URL: siteUrlOf(ownerUrl), DATABASE_OWNER_URL: ownerUrl };
}

function clusterUrl(): string {
  const url = process.env.TEST_DATABASE_URL;
  if (!url) throw new Error("TEST_DATABASE_URL is set by test/cluster.ts before the first test");
  return url;
}

/**
 * A connection that calls `happen` just before the first query that matches, to force the worst moment of a race.
 */
export function connectWithSurprise(
  url: string,
  query: RegExp,
  happen: () => PromiseLike<unknown>,
): DatabaseConnection {
  const connection = connect(url, 5, () => {});
  const { pool } = connection;
  const run = pool.query;
  let hasHappened = false;
  Object.assign(pool, {
    async query(...args: [{ text: string }, ...unknown[]]) {
      if (!hasHappened && query.test(args[0].text)) {
        hasHappened = true;
        await happen();
      }
      return Reflect.apply(run, pool, args);
    },
  });
  return connection;
}

/** The statements that work sends to the database, in order. Measures its cost without a clock. */
export async function statementsOf(
  url: string,
  work: (db: DatabaseConnection["db"]) => Promise<unknown>,
): Promise<string[]> {
  const { pool, db } = connect(url, 1, () => {});
  const statements: string[] = [];
  pool.on("connect", (client) => {
    const run = client.query;
    Object.assign(client, {
      query(...args: [string | { text: string }, ...unknown[]]) {
        const [query] = args;
        statements.push(typeof query === "string" ? query : query.text);
        return Reflect.apply(run, client, args);
      },
    });
  });
  await work(db);
  await endPool(pool);
  return statements;
}

/** Runs a statement on the cluster, outside the test databases. @returns the number of rows affected */
export async function onCluster(statement: string): Promise<number> {
  const client = new Client({ connectionString: clusterUrl() });
  await client.connect();
  const { rowCount } = await client.query(statement).finally(() => client.end());
  return rowCount ?? 0;
}
