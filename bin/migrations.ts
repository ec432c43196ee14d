/**
 * Refuses migrations that the version before can't run beside: while a rolling upgrade lasts, its processes go on with the
 * schema of the new one (docs/upgrade.md). Part of `npm run check`.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Context, judge, type Problem } from "./migrations/rules.ts";
import type { Snapshot } from "./migrations/snapshot.ts";
import { type Statement, splitActions, splitStatements } from "./migrations/statements.ts";

const FOLDER = join(import.meta.dirname, "../app/db/migrations");
/** The ones before were made when every upgrade stopped the site, and never change. */
const FIRST_CHECKED = "0012";

export interface Migration {
  /** Like 0012_running. */
  tag: string;
  /** When it was made, in milliseconds since 1970, by which Drizzle knows what a database lacks. */
  when: number;
  sql: string;
  snapshot: Snapshot | undefined;
}

/** @returns a line for each thing that is wrong, with its place and what to do instead */
export function findUnsafeSteps(migrations: readonly Migration[], first = FIRST_CHECKED): string[] {
  const outOfOrder = migrations.flatMap(({ tag, when }, index) =>
    when > (migrations[index - 1]?.when ?? 0)
      ? []
      : [`${tag}: it is older than the one before it, so that databases would go without it. Make it anew`],
  );
  const checked = migrations.filter(({ tag }) => numberOf(tag) >= first);
  return [...outOfOrder, ...checked.flatMap((migration) => checkMigration(migration, migrations))];
}

function checkMigration({ tag, sql }: Migration, all: readonly Migration[]): string[] {
  const statements = splitStatements(sql);
  const context = gatherContext(statements, all.findLast((other) => other.tag < tag)?.snapshot);
  return statements.flatMap((statement) =>
    judge(statement, context).flatMap((problem) => {
      const refusal = refuse(problem, statement, tag, all);
      return refusal ? [`${tag}.sql:${statement.line}: ${short(statement.text)}\n    ${refusal}`] : [];
    }),
  );
}

/** What the migration makes itself, and so may do anything to. */
function gatherContext(statements: readonly Statement[], before: Snapshot | undefined): Context {
  const newTables = new Set<string>();
  const newColumns = new Set<string>();
  const addedConstraints = new Map<string, string>();
  for (const { text } of statements) {
    const created = /^CREATE TABLE (?:IF NOT EXISTS )?(?:"?public"?\.)?"?(\w+)/i.exec(text)?.[1];
    if (created) newTables.add(created);
    const [, table, actions] = /^ALTER TABLE (?:ONLY )?(?:"?public"?\.)?"?(\w+)"? (.*)/i.exec(text) ?? [];
    for (const action of splitActions(actions ?? "")) {
      const column = /^ADD COLUMN "?(\w+)/i.exec(action)?.[1];
      if (column) newColumns.add(`${table}.${column}`);
      const [, name, definition] = /^ADD CONSTRAINT "?(\w+)"? (.*)/i.exec(action) ?? [];
      if (name && definition) addedConstraints.set(name, definition);
    }
  }
  return { newTables, newColumns, addedConstraints, before };
}

/** @returns what to say of the problem; nothing when a note answers it */
function refuse(
  { kind, text, isDeclared }: Problem,
  { contractOf, safeBecause }: Statement,
  tag: string,
  all: readonly Migration[],
): string | null {
  if (kind === "note") return safeBecause ? null : `${text}. If that does no harm, say why: -- safe: REASON`;
  if (kind === "never") return text;
  if (!contractOf)
    return `${text}. If a released version no longer does, name its migration: -- contract of NNNN`;
  const stopped = all.find((migration) => numberOf(migration.tag) === contractOf);
  if (!stopped || stopped.tag >= tag)
    return `there is no migration ${contractOf} before this one, whose version could have stopped using it`;
  if (stopped.snapshot && isDeclared?.(stopped.snapshot) === false)
    return `the schema of ${stopped.tag} still says otherwise: the code of its version needs what was there before`;
  return null;
}

const numberOf = (tag: string) => tag.slice(0, 4);
const short = (text: string) => (text.length > 100 ? `${text.slice(0, 100)}…` : text);

/** @throws when a file has no entry in Drizzle's journal */
export function readMigrations(folder = FOLDER): Migration[] {
  const journal: { entries: { tag: string; when: number }[] } = JSON.parse(
    readFileSync(join(folder, "meta/_journal.json"), "utf8"),
  );
  const files = readdirSync(folder).filter((name) => name.endsWith(".sql"));
  const missing = files.filter((name) => !journal.entries.some(({ tag }) => `${tag}.sql` === name));
  if (missing.length > 0)
    throw new Error(`no database would get ${missing.join(", ")}: not in meta/_journal.json`);
  return journal.entries.map(({ tag, when }) => ({
    tag,
    when,
    sql: readFileSync(join(folder, `${tag}.sql`), "utf8"),
    snapshot: JSON.parse(readFileSync(join(folder, `meta/${numberOf(tag)}_snapshot.json`), "utf8")),
  }));
}

if (import.meta.main) {
  const migrations = readMigrations();
  const unsafe = findUnsafeSteps(migrations);
  for (const line of unsafe) console.error(line);
  if (unsafe.length > 0) {
    console.error("\nWhat a migration may do, and how to do the rest in two versions: docs/upgrade.md");
    process.exitCode = 1;
  } else console.log(`${migrations.length} migrations; the version before can run beside each new one`);
}
