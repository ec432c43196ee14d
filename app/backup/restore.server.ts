import { existsSync } from "node:fs";
import { basename, dirname } from "node:path";
import type { Client, Pool } from "pg";
import type { Config } from "../config/config.server.ts";
import { connect, endPool } from "../db/client.server.ts";
import { type Erasure, mergeErasures } from "../db/erasures.server.ts";
import { applyMigrations } from "../db/migrate.server.ts";
import { findMigrationState } from "../db/migration-state.server.ts";
import { countRestored, findBroken, type Source, stage } from "./backup.server.ts";
import { withClient } from "./dump.server.ts";
import { BackupError } from "./encryption.server.ts";
import { erasureFile, readErasures } from "./erasure-list.server.ts";
import { type BackupFile, verifyFile } from "./folder.server.ts";
import { connectBeside, databaseNameOf, type Staging } from "./staging.server.ts";

const DAY_MILLISECONDS = 24 * 60 * 60 * 1000;

/** Sign-ins that may have been ended since, links that may have been used, and the unfinished row of the backup itself. */
const NOT_BROUGHT_BACK =
  "DELETE FROM session; DELETE FROM mail_links; DELETE FROM backups WHERE finished_at IS NULL";

/** Deletes what must not come back with a database of an earlier moment. */
export async function endSignIns(owner: Pick<Pool, "query">): Promise<void> {
  await owner.query(NOT_BROUGHT_BACK);
}

/** The database that is to be replaced, or filled. */
export interface Target {
  /** Whether there is anything in it. */
  isEmpty: boolean;
  /** Who is connected to it besides this command. */
  connections: number;
  /** Deletions on request that it knows of. */
  erasures: Erasure[];
}

/** Looks at the database that a URL names, which need not exist. */
export async function inspect(url: string): Promise<Target> {
  const beside = await connectBeside(url);
  try {
    const { rows } = await beside.query(
      `SELECT (SELECT count(*)::int FROM pg_stat_activity WHERE datname = $1 AND backend_type = 'client backend') AS connections
       FROM pg_database WHERE datname = $1`,
      [databaseNameOf(url)],
    );
    if (!rows[0]) return { isEmpty: true, connections: 0, erasures: [] };
    return { ...(await withClient(url, inspectTables)), connections: rows[0].connections };
  } finally {
    await beside.end();
  }
}

async function inspectTables(client: Client): Promise<Omit<Target, "connections">> {
  const { rows } = await client.query(
    `SELECT NOT EXISTS (SELECT FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')) AS is_empty,
       to_regclass('public.erasures') IS NOT NULL AS has_list`,
  );
  const list = rows[0].has_list
    ? (await client.query(`SELECT subject, id, erased_at AS "erasedAt" FROM erasures`)).rows
    : [];
  return { isEmpty: rows[0].is_empty, erasures: list };
}

/**
 * The lists of deletions in BACKUP_DIR, where the operator says, and beside the backup, by where they were found.
 *
 * @param file `null`: there is no backup of ours, only the database
 */
export async function collectErasures(
  file: BackupFile | null,
  { dir, key }: Config["backup"],
  named: string | undefined,
): Promise<Map<string, Erasure[]>> {
  const folders = file ? [dirname(file.path), dir] : [dir];
  const paths = folders.map((folder) => erasureFile(folder, key));
  const found = new Map<string, Erasure[]>();
  for (const path of new Set([...paths.filter((path) => existsSync(path)), ...(named ? [named] : [])]))
    found.set(path, await readErasures(path, key));
  return found;
}

export interface RestoreOptions {
  /** What is deleted again. */
  erasures: readonly Erasure[];
  /** Whether it may be older than deletions are remembered for. */
  isOldAllowed: boolean;
  signal: AbortSignal;
  say(line: string): void;
  /** Deletes again who had been deleted, as the site; @returns how many could not be */
  replay(siteUrl: string): Promise<{ accounts: number; places: number; left: number }>;
  /** Called when all is ready, before the database in use is replaced. */
  beforePlacing(): Promise<void>;
}

/**
 * Restores a backup: beside the database that is there, into an empty one; brought up to date, without those who have been
 * deleted since, and looked at; and only then put in its place, under whose name the site finds it.
 *
 * @returns the name that the database before has now; `null`: there was none
 * @throws BackupError and so on; the database in use is then as it was
 */
export async function restore(
  file: BackupFile,
  { backup: settings }: Pick<Config, "backup">,
  source: Source,
  options: RestoreOptions,
): Promise<{ former: string | null; left: number }> {
  const age = (Date.now() - file.startedAt.getTime()) / DAY_MILLISECONDS;
  if (age > settings.keepDays && !options.isOldAllowed)
    throw new BackupError(
      `this backup is ${Math.floor(age)} days old, and deletions are remembered for ${settings.keepDays} (BACKUP_KEEP_DAYS): ` +
        "people who asked to be deleted would be there again. If that must be: --although-old",
    );
  options.say(`reading all of ${basename(file.path)}…`);
  const about = await verifyFile(file, settings.key);
  options.say("unpacking it beside the database…");
  const staging = await stage(file, about, settings, source, "restoring", options.signal);
  try {
    const { rows, tables } = await countRestored(staging.ownerUrl, about?.rows ?? null);
    const isSame = about?.rows ? ", as when it was made" : "";
    options.say(`${rows.toLocaleString("en-US")} rows in ${tables} tables${isSame}`);
    await bringUpToDate(staging, options);
    const replayed = await options.replay(staging.siteUrl);
    options.say(
      `deleted again: ${replayed.accounts} accounts and ${replayed.places} places on the waitlist, of ${options.erasures.length} deletions known`,
    );
    const broken = (await findBroken(staging.ownerUrl)) ?? [];
    if (broken.length > 0)
      options.say(`WARNING: the data is not sound (npm run ops -- invariants): ${broken.join("; ")}`);
    await options.beforePlacing();
    return { former: await staging.putInPlace(), left: replayed.left };
  } finally {
    await staging.close();
  }
}

async function bringUpToDate(
  { ownerUrl, siteUrl }: Staging,
  { erasures: list, say }: Pick<RestoreOptions, "erasures" | "say">,
): Promise<void> {
  const { pool, db } = connect(ownerUrl, 2, () => {});
  try {
    const state = await findMigrationState(pool);
    if (state === "newer")
      throw new BackupError("the backup is of a newer version of this program: restore it with that one");
    if (state === "older") say("bringing it up to date with this version…");
    await applyMigrations(ownerUrl, { siteUrl, say });
    await endSignIns(pool);
    await mergeErasures(db, list);
  } finally {
    await endPool(pool);
  }
}
