import type pg from "pg";

/** The state of one sandbox, in its own PostgreSQL schema, apart from the product's tables. */
export interface SandboxSchema {
  name: `sandbox_${string}`;
  /** Increase it when the tables change: a schema of another version is dropped with its data and created again. */
  version: number;
  tables: string;
}

/** Creates a sandbox's schema if it is missing. Safe to run again, and by several processes at once. */
export async function createSandboxSchema(
  client: Pick<pg.ClientBase, "query">,
  { name, version, tables }: SandboxSchema,
): Promise<void> {
  await client.query(`DO $sandbox$ BEGIN
    -- One process at a time: CREATE SCHEMA fails in the second of two that find nothing.
    PERFORM pg_advisory_xact_lock(hashtextextended('${name}', 0));
    -- Not to_regnamespace(): it may answer from what this connection saw before it waited.
    IF EXISTS (
      SELECT FROM pg_namespace
      WHERE nspname = '${name}' AND coalesce(obj_description(oid, 'pg_namespace'), '1') <> '${version}'
    ) THEN
      DROP SCHEMA ${name} CASCADE;
    END IF;
    IF NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = '${name}') THEN
      CREATE SCHEMA ${name};
      COMMENT ON SCHEMA ${name} IS '${version}';
      ${tables}
    END IF;
  END $sandbox$`);
}
