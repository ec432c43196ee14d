/**
 * Restores a backup that `npm run backup` has made.
 *
 *   npm run restore -- FILE|latest [--replace NAME] [--erasures FILE | --without-erasures] [--although-old]
 *   npm run restore -- erasures [--erasures FILE]
 *
 * Exits with 0 when it was restored, 1 when not and why, or when not all deletions could be repeated, 2 when the command line was
 * not understood.
 */
import { existsSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import type { Source } from "../app/backup/backup.server.ts";
import { BackupError } from "../app/backup/encryption.server.ts";
import { dedupe } from "../app/backup/erasure-list.server.ts";
import { findBackup } from "../app/backup/folder.server.ts";
import { collectErasures, endSignIns, inspect, restore, type Target } from "../app/backup/restore.server.ts";
import { databaseNameOf } from "../app/backup/staging.server.ts";
import { connectPaymentsOfServer } from "../app/billing/stripe.server.ts";
import type { Config } from "../app/config/config.server.ts";
import { checkDatabaseMode } from "../app/database-mode.server.ts";
import { connect, endPool } from "../app/db/client.server.ts";
import { mergeErasures } from "../app/db/erasures.server.ts";
import { findMigrationState } from "../app/db/migration-state.server.ts";
import { createLog } from "../app/log/log.server.ts";
import { replayErasures } from "../app/replay-erasures.server.ts";
import { type OwnerContext, withOwner } from "./open.ts";

const USAGE = `Usage:
  npm run restore -- FILE|latest   unpacks a backup beside the database, and puts it in its place
  npm run restore -- erasures      after the database was restored by other means: deletes again who had been deleted,
                                   and ends all sessions

  --replace NAME       the database is not empty: replace it. NAME is its name, or that of DATA_DIR for the embedded one
  --erasures FILE      the list of deletions to keep to, besides those that are found: erasures.json or erasures.json.enc
  --without-erasures   there is no such list: people who asked to be deleted may be there again
  --although-old       also a backup that is older than BACKUP_KEEP_DAYS`;

const options = readArguments();
// Sign-ins may have ended by then.
if (options)
  await withOwner(run, options.name === "erasures" ? "interrupted" : "interrupted: nothing was changed");
else {
  console.error(USAGE);
  process.exitCode = 2;
}

function run(source: Source, context: OwnerContext): Promise<void> {
  if (options?.name === "erasures") return keepToErasures(source, context.config, options);
  return restoreInto(source, context, options as Options);
}

type Options = NonNullable<ReturnType<typeof readArguments>>;

function readArguments() {
  try {
    const { positionals, values } = parseArgs({
      allowPositionals: true,
      options: {
        replace: { type: "string" },
        erasures: { type: "string" },
        "without-erasures": { type: "boolean" },
        "although-old": { type: "boolean" },
      },
    });
    const [name, ...rest] = positionals;
    return name === undefined || rest.length > 0 ? null : { name, ...values };
  } catch {
    return null;
  }
}

async function restoreInto(
  source: Source,
  { config, signal, release }: OwnerContext,
  options: Options,
): Promise<void> {
  const file = await findBackup(options.name, config.backup);
  if (!existsSync(file.path)) throw new BackupError(`there is no file ${file.path}`);
  if (source.home && file.method === "dump")
    throw new BackupError(
      "a dump is restored into a PostgreSQL server: set DATABASE_URL and DATABASE_OWNER_URL",
    );
  const target: Target =
    source.ownerUrl === "" ? { isEmpty: true, connections: 0, erasures: [] } : await inspect(source.ownerUrl);
  requireConsent(target, source, config, options.replace);
  // Whether another process uses the embedded database shows once this one does not.
  if (source.home) await release();
  requireNobody(target, source);

  const lists = await collectErasures(file, config.backup, options.erasures);
  describeLists(lists);
  if (target.erasures.length > 0)
    console.log(`${target.erasures.length} deletions in the database that is replaced`);
  // A database that was only just set up knows of no deletions.
  if (lists.size === 0 && target.erasures.length === 0 && !options["without-erasures"])
    throw new BackupError(
      "no list of deletions is beside the backup: people who asked to be deleted after it was made would be there again. " +
        "Name the newest one with --erasures FILE, or say --without-erasures",
    );

  const { former, left } = await restore(file, config, source, {
    erasures: dedupe([...target.erasures, ...[...lists.values()].flat()]),
    isOldAllowed: options["although-old"] ?? false,
    signal,
    say: (line) => console.log(line),
    replay: (siteUrl) => replay(siteUrl, config),
    async beforePlacing() {
      requireNobody(source.ownerUrl !== "" && !source.home ? await inspect(source.ownerUrl) : target, source);
    },
  });
  console.log(
    `restored: ${basename(file.path)}${former ? `. The database before is kept as ${former}: it holds everybody, so delete it within ${config.backup.keepDays} days` : ""}`,
  );
  console.log(
    "everybody has to sign in again. Next: start the site, npm run ops -- invariants, npm run ops -- reconcile, npm run backup",
  );
  complainAbout(left);
}

/** In a database that PostgreSQL's own means, or a host's, have put back to an earlier moment. */
async function keepToErasures(source: Source, config: Config, options: Options): Promise<void> {
  if (source.ownerUrl === "") throw new BackupError(`there is no database in ${config.dataDir}`);
  const lists = await collectErasures(null, config.backup, options.erasures);
  if (lists.size === 0)
    throw new BackupError(
      `no list of deletions is in ${config.backup.dir} (BACKUP_DIR). Name it with --erasures FILE`,
    );
  describeLists(lists);
  const owner = connect(source.ownerUrl, 1, () => {});
  const { db, pool } = connect(source.siteUrl, 2, () => {});
  try {
    if ((await findMigrationState(pool)) !== "current")
      throw new BackupError(
        "the database is of another version than this program: bring it up to date first, by npm run migrate",
      );
    await endSignIns(owner.pool);
    await mergeErasures(db, dedupe([...lists.values()].flat()));
  } finally {
    await Promise.all([endPool(pool), endPool(owner.pool)]);
  }
  const { accounts, places, left } = await replay(source.siteUrl, config);
  console.log(`deleted again: ${accounts} accounts and ${places} places on the waitlist`);
  console.log("everybody has to sign in again");
  complainAbout(left);
}

/** With when each was written: one that is older than the last deletion does not know it. */
function describeLists(lists: Awaited<ReturnType<typeof collectErasures>>): void {
  for (const [path, list] of lists)
    console.log(`${list.length} deletions in ${path}, last written ${statSync(path).mtime.toISOString()}`);
}

function complainAbout(left: number): void {
  if (left === 0) return;
  console.error(
    `${left} accounts that had been deleted are there until Stripe can be asked; the site goes on trying once it runs`,
  );
  process.exitCode = 1;
}

function requireConsent(
  { isEmpty }: Target,
  source: Source,
  config: Config,
  typed: string | undefined,
): void {
  if (isEmpty) return;
  const name = source.home ? basename(config.dataDir) : databaseNameOf(source.ownerUrl);
  if (typed === name) return;
  throw new BackupError(
    `${typed === undefined ? "the database is not empty" : `the database is not called ${typed}`}. To replace it: --replace ${name}`,
  );
}

/** Refuses while clients are connected: they would continue writing to the replaced database. */
function requireNobody({ connections }: Target, { home }: Source): void {
  if (home ? existsSync(join(home.cluster, "postmaster.pid")) : connections > 0)
    throw new BackupError(
      "the database is in use: stop the site, and everything else that is connected to it, first",
    );
}

async function replay(siteUrl: string, config: Config) {
  const { db, pool } = connect(siteUrl, 4, () => {});
  try {
    await checkDatabaseMode(pool, config.payments);
    const payments = connectPaymentsOfServer(config);
    const log = createLog("error", { write: (line) => void process.stderr.write(line) });
    return await replayErasures({ config, db, payments, log });
  } finally {
    await endPool(pool);
  }
}
