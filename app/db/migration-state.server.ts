import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Pool } from "pg";

const JOURNAL = join(import.meta.dirname, "migrations/meta/_journal.json");

/** Whether the database's schema is that of this code, or of an older or newer version of it. */
export async function findMigrationState(pool: Pick<Pool, "query">): Promise<"current" | "older" | "newer"> {
  const journal: { entries: { when: number }[] } = JSON.parse(readFileSync(JOURNAL, "utf8"));
  const newest = journal.entries.at(-1)?.when ?? 0;
  const applied = await newestApplied(pool);
  if (applied === newest) return "current";
  return applied < newest ? "older" : "newer";
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
