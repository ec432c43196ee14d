import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Client, Pool } from "pg";

export const MIGRATIONS_FOLDER = join(import.meta.dirname, "migrations");

type Asked = Pick<Pool, "query"> | Pick<Client, "query">;

export type MigrationState = "current" | "older" | "newer";

export async function findMigrationState(
  database: Asked,
  folder = MIGRATIONS_FOLDER,
): Promise<MigrationState> {
  const newest = readJournal(folder).at(-1)?.when ?? 0;
  const applied = await newestApplied(database);
  if (applied === newest) return "current";
  return applied < newest ? "older" : "newer";
}

export async function findPending(database: Asked, folder = MIGRATIONS_FOLDER): Promise<string[]> {
  const applied = await newestApplied(database);
  return readJournal(folder).flatMap(({ when, tag }) => (when > applied ? tag : []));
}

function readJournal(folder: string): { when: number; tag: string }[] {
  return JSON.parse(readFileSync(join(folder, "meta/_journal.json"), "utf8")).entries;
}

/** In milliseconds since 1970, as Drizzle keeps it; 0 without any. */
export async function newestApplied(database: Asked): Promise<number> {
  const { rows: tables } = await database.query(
    "SELECT to_regclass('drizzle.__drizzle_migrations') AS found",
  );
  if (tables[0]?.found === null) return 0;
  const { rows } = await database.query(
    "SELECT max(created_at)::float8 AS newest FROM drizzle.__drizzle_migrations",
  );
  return rows[0]?.newest ?? 0;
}
