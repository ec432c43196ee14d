import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Client, Pool } from "pg";

export const MIGRATIONS_FOLDER = join(import.meta.dirname, "migrations");

type Asked = Pick<Pool, "query"> | Pick<Client, "query">;

export type MigrationState = "current" | "older" | "newer";

/** By the names of the newest migrations. */
export interface SchemaState {
  state: MigrationState;
  ofCode: string;
  /** `null`: none, or one that this code does not know. */
  ofDatabase: string | null;
}

export async function findMigrationState(
  database: Asked,
  folder = MIGRATIONS_FOLDER,
): Promise<MigrationState> {
  return (await findSchema(database, folder)).state;
}

export async function findSchema(database: Asked, folder = MIGRATIONS_FOLDER): Promise<SchemaState> {
  const entries = readJournal(folder);
  const newest = entries.at(-1) ?? { when: 0, tag: "" };
  const applied = await newestApplied(database);
  const ofDatabase = entries.find(({ when }) => when === applied)?.tag ?? null;
  const state = applied === newest.when ? "current" : applied < newest.when ? "older" : "newer";
  return { state, ofCode: newest.tag, ofDatabase };
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
