import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Pool } from "pg";

const JOURNAL = join(import.meta.dirname, "migrations/meta/_journal.json");

/** The schema of this code and that of a database, by the names of their newest migrations. */
export interface SchemaState {
  /** That of the database beside that of this code. */
  state: "current" | "older" | "newer";
  ofCode: string;
  /** `null` for a database without any, and for one whose migration this code does not know. */
  ofDatabase: string | null;
}

/** Whether the database's schema is that of this code, or of an older or newer version of it. */
export async function findMigrationState(pool: Pick<Pool, "query">): Promise<SchemaState["state"]> {
  return (await findSchema(pool)).state;
}

export async function findSchema(pool: Pick<Pool, "query">): Promise<SchemaState> {
  const { entries }: Journal = JSON.parse(readFileSync(JOURNAL, "utf8"));
  const newest = entries.at(-1) ?? { when: 0, tag: "" };
  const applied = await newestApplied(pool);
  const ofDatabase = entries.find(({ when }) => when === applied)?.tag ?? null;
  const state = applied === newest.when ? "current" : applied < newest.when ? "older" : "newer";
  return { state, ofCode: newest.tag, ofDatabase };
}

interface Journal {
  entries: { when: number; tag: string }[];
}

/** The timestamp Drizzle keeps of the newest applied migration, in milliseconds since 1970; 0 without any. */
export async function newestApplied(pool: Pick<Pool, "query">): Promise<number> {
  const { rows: tables } = await pool.query("SELECT to_regclass('drizzle.__drizzle_migrations') AS found");
  if (tables[0]?.found === null) return 0;
  const { rows } = await pool.query(
    "SELECT max(created_at)::float8 AS newest FROM drizzle.__drizzle_migrations",
  );
  return rows[0]?.newest ?? 0;
}
