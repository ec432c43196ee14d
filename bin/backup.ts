/**
 * Backs the database up, restores the backup beside it, and looks whether all of it is there and sound.
 *
 *   npm run backup [-- --no-check] [--dump]
 *   npm run backup -- check FILE|latest
 *   npm run backup -- list
 *   npm run backup -- erasures
 *
 * Exits with 0 when that went well, 1 when not and why, 2 when the command line was not understood.
 */
import { basename } from "node:path";
import { parseArgs } from "node:util";
import { check, makeBackup, type Source } from "../app/backup/backup.server.ts";
import { BackupError } from "../app/backup/encryption.server.ts";
import { writeErasures } from "../app/backup/erasure-list.server.ts";
import { findBackup, listBackups } from "../app/backup/folder.server.ts";
import type { Config } from "../app/config/config.server.ts";
import { connect, endPool } from "../app/db/client.server.ts";
import { type OwnerContext, withOwner } from "./open.ts";

const USAGE = `Usage:
  npm run backup                        makes a backup, and checks it by restoring it beside the database
  npm run backup -- --no-check          only makes it
  npm run backup -- --dump              pg_dump's archive also of an embedded database, to take it to a server
  npm run backup -- check FILE|latest   restores one beside the database, counts, looks whether it is sound, and deletes it again
  npm run backup -- list                the backups in BACKUP_DIR
  npm run backup -- erasures            writes down who must stay deleted, without a backup: for every hour`;

const { command, name, options } = readArguments();
if (command) await withOwner(run, "interrupted");
else {
  console.error(USAGE);
  process.exitCode = 2;
}

async function run(source: Source, { config, signal }: OwnerContext): Promise<void> {
  if (command === "list") return list(config);
  if (command === "check") return checkOne(source, config, signal);
  if (source.ownerUrl === "")
    throw new BackupError(
      `there is no database in ${config.dataDir}. Start the site first, or set DATABASE_URL, or DATA_DIR as the site has it`,
    );
  try {
    if (command === "backup") await backUp(source, config, signal);
  } finally {
    await writeList(source, config);
  }
}

function readArguments() {
  try {
    const { positionals, values } = parseArgs({
      allowPositionals: true,
      options: { "no-check": { type: "boolean" }, dump: { type: "boolean" } },
    });
    const [command = "backup", name, ...rest] = positionals;
    const isKnown = ["backup", "check", "list", "erasures"].includes(command);
    const isComplete = (command === "check") === (name !== undefined) && rest.length === 0;
    return { command: isKnown && isComplete ? command : null, name: name ?? "", options: values };
  } catch {
    return { command: null, name: "", options: {} };
  }
}

async function backUp(source: Source, config: Config, signal: AbortSignal): Promise<void> {
  const made = await makeBackup(config, source, {
    isChecked: !options["no-check"],
    isDump: options.dump ?? false,
    signal,
    say: (line) => console.log(line),
  });
  console.log(
    `${megabytes(made.bytes)} in ${made.seconds.toFixed(1)} s, ${made.isEncrypted ? "encrypted" : "not encrypted: set BACKUP_KEY"}`,
  );
  if (made.findings) report(made.findings);
  else console.log("not checked: npm run backup -- check latest");
  for (const file of made.deleted)
    console.log(`deleted, being older than ${config.backup.keepDays} days: ${file}`);
}

/** Also after every backup, so that it is never older than one. */
async function writeList(source: Source, config: Config): Promise<void> {
  const { db, pool } = connect(source.ownerUrl, 1, () => {});
  try {
    const { rows } = await pool.query("SELECT to_regclass('public.erasures') IS NOT NULL AS has_list");
    if (!rows[0]?.has_list) return console.log("this version of the database keeps no list of deletions yet");
    const count = await writeErasures(db, config.backup);
    console.log(`${count} deletions to be kept to, in ${config.backup.dir}`);
  } finally {
    await endPool(pool);
  }
}

async function checkOne(source: Source, config: Config, signal: AbortSignal): Promise<void> {
  const file = await findBackup(name, config.backup);
  console.log(`restoring ${basename(file.path)} beside the database…`);
  report(await check(file, config, source, signal));
}

function report({ tables, rows, broken, seconds }: Awaited<ReturnType<typeof check>>): void {
  console.log(
    `checked in ${seconds.toFixed(1)} s: ${rows.toLocaleString("en-US")} rows in ${tables} tables are there once it is restored`,
  );
  if (!broken) console.log("whether it is sound was not looked at: it is of another version of this program");
  if (broken?.length === 0) console.log("and all invariants hold");
  for (const rule of broken ?? []) console.error(`does not hold: ${rule}`);
  if (!broken?.length) return;
  console.error("the backup is whole, but what it holds is not sound: npm run ops -- invariants");
  process.exitCode = 1;
}

async function list({ backup: { dir } }: Config): Promise<void> {
  const found = await listBackups(dir);
  for (const { path, startedAt } of found) console.log(`${startedAt.toISOString()}  ${path}`);
  if (found.length === 0) console.log(`no backups in ${dir} (BACKUP_DIR)`);
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toLocaleString("en-US", { maximumFractionDigits: 1 })} MB`;
}
