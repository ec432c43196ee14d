import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MIGRATIONS_FOLDER } from "./migration-state.server.ts";

/** A migration, with the schema that the code of its version declares, as Drizzle writes it down. */
export interface Migration {
  /** Like 0012_running. */
  tag: string;
  /** When it was made, in milliseconds since 1970, by which Drizzle knows what a database lacks. */
  when: number;
  sql: string;
  snapshot: Snapshot;
}

export interface Snapshot {
  tables: Record<string, { name: string; columns: Record<string, { name: string; notNull: boolean }> }>;
}

/** The site's migrations, in their order. @throws when a file has no entry in Drizzle's journal */
export function readMigrations(): Migration[] {
  const read = (name: string) => readFileSync(join(MIGRATIONS_FOLDER, name), "utf8");
  const { entries }: { entries: { tag: string; when: number }[] } = JSON.parse(read("meta/_journal.json"));
  const files = readdirSync(MIGRATIONS_FOLDER).filter((name) => name.endsWith(".sql"));
  const missing = files.filter((name) => !entries.some(({ tag }) => `${tag}.sql` === name));
  if (missing.length > 0)
    throw new Error(`no database would get ${missing.join(", ")}: not in meta/_journal.json`);
  return entries.map(({ tag, when }) => ({
    tag,
    when,
    sql: read(`${tag}.sql`),
    snapshot: JSON.parse(read(`meta/${tag.slice(0, 4)}_snapshot.json`)),
  }));
}

/** A folder with these migrations, as Drizzle writes it. The caller removes it. */
export function writeMigrations(migrations: readonly { tag: string; when: number; sql: string }[]): string {
  const folder = mkdtempSync(join(tmpdir(), "migrations-"));
  mkdirSync(join(folder, "meta"));
  for (const { tag, sql } of migrations) writeFileSync(join(folder, `${tag}.sql`), sql);
  const entries = migrations.map(({ tag, when }, idx) => ({
    idx,
    version: "7",
    when,
    tag,
    breakpoints: true,
  }));
  const journal = { version: "7", dialect: "postgresql", entries };
  writeFileSync(join(folder, "meta/_journal.json"), JSON.stringify(journal));
  return folder;
}
