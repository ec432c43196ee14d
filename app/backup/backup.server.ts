import { basename, join } from "node:path";
import type { Client } from "pg";
import type { Config } from "../config/config.server.ts";
import type { PostgresHome } from "../db/embedded-home.server.ts";
import { findViolations } from "../db/invariants.server.ts";
import { findMigrationState, newestApplied } from "../db/migration-state.server.ts";
import { withClusterCopy } from "./cluster-copy.server.ts";
import { countRows, withClient, withDump } from "./dump.server.ts";
import { BackupError } from "./encryption.server.ts";
import {
  type BackupFile,
  deleteOutlivedBackups,
  type Manifest,
  nameOf,
  readContent,
  verifyFile,
  writeManifest,
  writeWhole,
} from "./folder.server.ts";
import { explainMissing, findPrograms, type Programs } from "./programs.server.ts";
import { claimBackup, openRecord } from "./records.server.ts";
import { besideUrl, type Staging, stageCluster, stageDump } from "./staging.server.ts";

export interface Source {
  ownerUrl: string;
  siteUrl: string;
  /** `null`: an external database. */
  home: PostgresHome | null;
}

export interface BackupOptions {
  isChecked: boolean;
  /** pg_dump's archive also of an embedded database, to move it to another server. */
  isDump: boolean;
  signal: AbortSignal;
  say(line: string): void;
}

export interface Findings {
  tables: number;
  rows: number;
  /** Of invariants.sql; `null`: not checked, because the schema is of another version. */
  broken: string[] | null;
  seconds: number;
}

/** Restored beside the database before it counts. @throws BackupError when there is none; nothing half is left then */
export async function makeBackup(
  { backup: settings }: Pick<Config, "backup">,
  source: Source,
  options: BackupOptions,
) {
  return withClient(source.ownerUrl, async (client) => {
    if (!(await claimBackup(client)))
      throw new BackupError("another process makes a backup of this database just now");
    const method = source.home && !options.isDump ? "cluster" : "dump";
    const startedAt = new Date();
    const path = join(settings.dir, nameOf(startedAt, method, settings.key !== null));
    const record = await openRecord(client, basename(path), method);
    try {
      const about = { postgres: await versionOf(client), schema: await newestApplied(client) };
      const programs = method === "dump" ? await requirePrograms(about.postgres, settings.programs) : null;
      const { bytes, sha256, rows } = await write(path, source, programs, settings.key, options.signal);
      const file = basename(path);
      await writeManifest(path, { file, method, startedAt, bytes, sha256, rows, ...about }, settings.key);
      await record.written(file, bytes, sha256, settings.key !== null, options.isChecked);
      const seconds = (Date.now() - startedAt.getTime()) / 1000;
      options.say(`written: ${path}`);
      const findings = options.isChecked
        ? await check({ path, startedAt, method }, { backup: settings }, source, options.signal)
        : null;
      const broken = findings?.broken ?? [];
      if (findings)
        await record.checked(broken.length > 0 ? `the data is not sound: ${broken.join("; ")}` : null);
      const deleted = await deleteOutlivedBackups(settings.dir, settings.keepDays);
      await record.forget(deleted, settings.keepDays);
      return { path, bytes, isEncrypted: settings.key !== null, seconds, findings, deleted };
    } catch (cause) {
      const error = options.signal.aborted ? new BackupError("interrupted") : cause;
      await record.failed(error instanceof Error ? error.message : String(error)).catch(() => {});
      await makeRoom(settings, record).catch(() => {});
      throw error;
    }
  });
}

/** Even without a new backup: the disk may be full, and people were promised their deletion. The last good one stays. */
async function makeRoom(
  { dir, keepDays }: Config["backup"],
  record: Awaited<ReturnType<typeof openRecord>>,
): Promise<void> {
  const deleted = await deleteOutlivedBackups(dir, keepDays, await record.newestGood());
  await record.forget(deleted, keepDays);
}

async function write(
  path: string,
  source: Source,
  programs: Programs | null,
  key: string | null,
  signal: AbortSignal,
): Promise<Pick<Manifest, "bytes" | "sha256" | "rows">> {
  if (programs)
    return withDump(
      source.ownerUrl,
      programs,
      async ({ content, rows }) => {
        const written = await writeWhole(path, content, key, signal);
        return { ...written, rows: await rows };
      },
      signal,
    );
  if (!source.home) throw new BackupError("only the embedded database’s files can be copied");
  return withClusterCopy(source.home, source.ownerUrl, async (content) => ({
    ...(await writeWhole(path, content, key, signal)),
    rows: null,
  }));
}

/** By restoring into an empty database beside the current one. @throws when it cannot be restored, or not all of it is there */
export async function check(
  file: BackupFile,
  { backup: { key, programs } }: Pick<Config, "backup">,
  source: Source,
  signal: AbortSignal,
): Promise<Findings> {
  const began = performance.now();
  const about = await verifyFile(file, key);
  const staging = await stage(file, about, { key, programs }, source, "checking", signal);
  try {
    const counted = await countRestored(staging.ownerUrl, about?.rows ?? null);
    const broken = await findBroken(staging.ownerUrl);
    return { ...counted, broken, seconds: (performance.now() - began) / 1000 };
  } finally {
    await staging.close();
  }
}

/** @param expected `null`: not known. @throws BackupError when they are not as many */
export async function countRestored(
  url: string,
  expected: Record<string, number> | null,
): Promise<{ tables: number; rows: number }> {
  const counts = await withClient(url, countRows);
  const names = Object.keys({ ...expected, ...(expected && counts) });
  const differences = names
    .filter((name) => counts[name] !== expected?.[name])
    .map((name) => `${name} has ${counts[name] ?? "no"} rows, not ${expected?.[name] ?? "any"}`);
  if (differences.length > 0)
    throw new BackupError(`not all of it is there once it is restored: ${differences.join("; ")}`);
  return {
    tables: Object.keys(counts).length,
    rows: Object.values(counts).reduce((sum, count) => sum + count, 0),
  };
}

export function findBroken(url: string): Promise<string[] | null> {
  return withClient(url, async (client) => {
    if ((await findMigrationState(client)) !== "current") return null;
    return (await findViolations(client)).map(({ rule }) => rule);
  });
}

/** Call after verifying it. */
export async function stage(
  { path, method }: BackupFile,
  about: Manifest | null,
  { key, programs: folder }: { key: string | null; programs: string | null },
  source: Source,
  purpose: Parameters<typeof stageDump>[1],
  signal: AbortSignal,
): Promise<Staging> {
  const content = readContent(path, key);
  if (method === "cluster") {
    if (source.home) return stageCluster(source.home, purpose, content, signal);
    throw new BackupError(
      "this is a copy of the embedded database’s files: unset DATABASE_URL, and set DATA_DIR",
    );
  }
  // Whether or not the database exists.
  const server = await withClient(besideUrl(source.ownerUrl), versionOf);
  if (about && about.postgres > server)
    throw new BackupError(
      `this is a backup of PostgreSQL ${about.postgres}, and the server is older: PostgreSQL ${server}`,
    );
  const programs = await requirePrograms(server, folder);
  // Those from 17 on begin with a setting that older servers do not know.
  if (server < 17 && programs.version >= 17)
    throw new BackupError(
      `pg_restore ${programs.version} cannot restore into PostgreSQL ${server}. ${explainMissing(server, folder)}`,
    );
  return stageDump(source, purpose, programs, content, signal);
}

async function requirePrograms(atLeast: number, folder: string | null): Promise<Programs> {
  const programs = await findPrograms(atLeast, folder);
  if (!programs) throw new BackupError(explainMissing(atLeast, folder));
  return programs;
}

async function versionOf(client: Client): Promise<number> {
  const { rows } = await client.query("SELECT current_setting('server_version_num')::int / 10000 AS version");
  return rows[0]?.version ?? 0;
}
