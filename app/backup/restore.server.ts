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
import { besideUrl, databaseNameOf, type Staging } from "./staging.server.ts";

const DAY_MILLISECONDS = 24 * 60 * 60 * 1000;

/** Sessions and links may have been ended or used since the backup. */
const NOT_BROUGHT_BACK =
  "DELETE FROM session; DELETE FROM mail_links; DELETE FROM backups WHERE finished_at IS NULL";

/** For a database of an earlier moment. */
export async function endSignIns(owner: Pick<Pool, "query">): Promise<void> {
  await owner.query(NOT_BROUGHT_BACK);
}

export type Target = Awaited<ReturnType<typeof inspect>>;

/** The database that a restore replaces or fills; it need not exist. `connections`: of other programs. */
export async function inspect(
  url: string,
): Promise<{ isEmpty: boolean; connections: number; erasures: Erasure[] }> {
  const { rows } = await withClient(besideUrl(url), (beside) =>
    beside.query(
      `SELECT (SELECT count(*)::int FROM pg_stat_activity WHERE datname = $1 AND backend_type = 'client backend') AS connections
       FROM pg_database WHERE datname = $1`,
      [databaseNameOf(url)],
    ),
  );
  if (!rows[0]) return { isEmpty: true, connections: 0, erasures: [] };
  return { ...(await withClient(url, inspectTables)), connections: rows[0].connections };
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

/** In BACKUP_DIR, where the operator says, and beside the backup. @param file `null`: there is no backup of ours, only the database */
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
  erasures: readonly Erasure[];
  /** Older than deletions are remembered for. */
  isOldAllowed: boolean;
  signal: AbortSignal;
  say(line: string): void;
  /** As the site; @returns how many could not be deleted */
  replay(siteUrl: string): Promise<{ accounts: number; places: number; left: number }>;
  beforePlacing(): Promise<void>;
}

/** Beside the current database, which any exception leaves as it is, and then in its place. @returns the new name of the replaced one */
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
