import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

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
