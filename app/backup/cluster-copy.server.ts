import { chownSync, mkdirSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline, Readable } from "node:stream";
import { createGunzip, createGzip } from "node:zlib";
import type { Client } from "pg";
import type { PostgresHome } from "../db/embedded-home.server.ts";
import { withClient } from "./dump.server.ts";
import { feed, startProgram } from "./programs.server.ts";
import { type Entry, tar as packTar } from "./tar.server.ts";

/** As in PostgreSQL's documentation of low-level base backups. */
const LEFT_OUT =
  /(^|\/)(postmaster\.(pid|opts)|pgsql_tmp[^/]*|t\d+_\d+(_(fsm|vm))?(\.\d+)?|pg_internal\.init[^/]*|backup_label|tablespace_map)$/;
const EMPTY_FOLDERS = new Set(
  "pg_wal pg_replslot pg_dynshmem pg_notify pg_serial pg_snapshots pg_stat_tmp pg_subtrans".split(" "),
);
/** The last: its log position is then never older than what was copied before it. */
const CONTROL_FILE = "global/pg_control";

/** PostgreSQL's low-level base backup as a tar, for the embedded database, which has no pg_dump. @param url of its superuser */
export async function withClusterCopy<Done>(
  home: PostgresHome,
  url: string,
  use: (content: AsyncIterable<Buffer>) => Promise<Done>,
): Promise<Done> {
  return withClient(url, async (client) => {
    // Keeps the log that this needs, for as long as this connection.
    const slot = `backup_${process.pid}_${Date.now()}`;
    await client.query("SELECT pg_create_physical_replication_slot($1, true, true)", [slot]);
    const { rows } = await client.query<{ first: string }>(
      "SELECT pg_walfile_name(pg_backup_start('npm run backup', fast => true)) AS first",
    );
    const entries = entriesOf(home.cluster, client, rows[0]?.first ?? "");
    // The quickest level: most of what can be saved are empty pages.
    const compressed = createGzip({ level: 1 });
    // An error of the archive reaches the reader of what is compressed.
    pipeline(Readable.from(packTar(entries), { objectMode: false }), compressed, () => {});
    return use(compressed);
  });
}

async function* entriesOf(cluster: string, client: Client, firstSegment: string): AsyncGenerator<Entry> {
  yield* filesBelow(cluster, "");
  const control = await fileEntry(cluster, CONTROL_FILE);
  if (control) yield control;
  const { rows } = await client.query<{ label: string; last: string }>(
    "SELECT labelfile AS label, pg_walfile_name(lsn) AS last FROM pg_backup_stop(wait_for_archive => false)",
  );
  const { label = "", last = "" } = rows[0] ?? {};
  yield { name: "backup_label", content: Buffer.from(label) };
  for (const folder of ["pg_wal/archive_status", "pg_wal/summaries"]) yield { name: folder, content: null };
  const segments = (await readdir(join(cluster, "pg_wal")))
    .filter((name) => /^[0-9A-F]{24}$/.test(name))
    .sort();
  for (const name of segments.filter((name) => name >= firstSegment && name <= last)) {
    const segment = await fileEntry(cluster, `pg_wal/${name}`);
    if (segment) yield segment;
  }
}

async function* filesBelow(cluster: string, folder: string): AsyncGenerator<Entry> {
  const found = await readdir(join(cluster, folder), { withFileTypes: true });
  for (const one of found) {
    const name = folder ? `${folder}/${one.name}` : one.name;
    if (LEFT_OUT.test(name) || name === CONTROL_FILE) continue;
    if (one.isDirectory()) {
      yield { name, content: null };
      if (!EMPTY_FOLDERS.has(name)) yield* filesBelow(cluster, name);
    } else if (one.isFile()) {
      const entry = await fileEntry(cluster, name);
      if (entry) yield entry;
    }
  }
}

/** `null`: just deleted, which the log notes */
async function fileEntry(cluster: string, name: string): Promise<Entry | null> {
  const path = join(cluster, name);
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
  return found && { name, content: { path, size: found.size } };
}

/** As the user whom the server runs as, into a new folder. @throws BackupError when tar refuses */
export async function unpackCluster(
  home: PostgresHome,
  content: AsyncIterable<Buffer>,
  signal?: AbortSignal,
): Promise<void> {
  mkdirSync(home.folder, { recursive: true });
  mkdirSync(home.cluster, { mode: 0o700 });
  if (home.owner)
    for (const path of [home.folder, home.cluster]) chownSync(path, home.owner.uid, home.owner.gid);
  const args = ["-x", "-f", "-", "-C", home.cluster];
  const tar = startProgram("tar", args, { ...home.owner, cwd: home.cluster, signal });
  await feed(tar, content, createGunzip());
}
