import type pg from "pg";

/**
 * Creates the state of one sandbox, if it is not there, in a PostgreSQL schema of its own, so that it never meets the
 * product's tables. Safe to run again, and by several processes at once.
 */
export async function createSandboxSchema(
  client: Pick<pg.ClientBase, "query">,
  name: string,
  tables: string,
): Promise<void> {
  await client.query(`DO $sandbox$ BEGIN
    -- One process at a time: CREATE SCHEMA fails in the second of two that find nothing.
    PERFORM pg_advisory_xact_lock(hashtextextended('${name}', 0));
    -- Not to_regnamespace(): it may answer from what this connection saw before it waited.
    IF NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = '${name}') THEN
      CREATE SCHEMA ${name};
      ${tables}
    END IF;
  END $sandbox$`);
}
