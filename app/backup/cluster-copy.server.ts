import { chownSync, createReadStream, mkdirSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline, Readable } from "node:stream";
import { createGunzip, createGzip } from "node:zlib";
import type { Client } from "pg";
import type { PostgresHome } from "../db/embedded-home.server.ts";
import { withClient } from "./dump.server.ts";
import { feed, startProgram } from "./programs.server.ts";

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

const BLOCK = 512;

interface Entry {
  /** With / between folders. At most 100 characters. */
  name: string;
  /** `null` for a folder. */
  content: { path: string; size: number } | Buffer | null;
}

/** POSIX ustar. A changing file has the length it had when it was looked at; the log mends it. */
async function* packTar(entries: AsyncIterable<Entry>): AsyncGenerator<Buffer> {
  for await (const { name, content } of entries) {
    const size = content === null ? 0 : Buffer.isBuffer(content) ? content.length : content.size;
    yield header(name, size, content === null);
    if (content === null) continue;
    if (Buffer.isBuffer(content)) yield content;
    else yield* exactly(content.path, size);
    const over = size % BLOCK;
    if (over > 0) yield Buffer.alloc(BLOCK - over);
  }
  yield Buffer.alloc(2 * BLOCK);
}

/** With zeros for bytes that the file no longer has. */
async function* exactly(path: string, size: number): AsyncGenerator<Buffer> {
  let left = size;
  if (size === 0) return;
  try {
    const stream: AsyncIterable<Buffer> = createReadStream(path, { end: size - 1, highWaterMark: 262_144 });
    for await (const piece of stream) {
      left -= piece.length;
      yield piece;
    }
  } catch (error) {
    // Deleted since it was looked at.
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
  }
  for (; left > 0; left -= Math.min(left, 65_536)) yield Buffer.alloc(Math.min(left, 65_536));
}

function header(name: string, size: number, isFolder: boolean): Buffer {
  if (Buffer.byteLength(name) > 100) throw new Error(`this name is too long for an archive: ${name}`);
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, width: number) => value.toString(8).padStart(width - 1, "0");
  block.write(isFolder ? `${name}/` : name, 0);
  block.write(octal(isFolder ? 0o700 : 0o600, 8), 100);
  block.write(octal(0, 8), 108);
  block.write(octal(0, 8), 116);
  // A size of 8 GiB and more would not fit; PostgreSQL's files are smaller.
  block.write(octal(size, 12), 124);
  block.write(octal(0, 12), 136);
  block.write(" ".repeat(8), 148);
  block.write(isFolder ? "5" : "0", 156);
  block.write("ustar\u000000", 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 7)}\0 `, 148);
  return block;
}
