import { createHash, randomUUID } from "node:crypto";
import { createReadStream, existsSync } from "node:fs";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { z } from "zod";
import { BackupError, decrypt, encrypt } from "./encryption.server.ts";

const NAME = /^backup-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.(dump|tar\.gz)(\.enc)?$/;
const ENCRYPTED = ".enc";
const MANIFEST = /\.json(\.enc)?$/;
const UNFINISHED = ".unfinished";
const DAY_MILLISECONDS = 24 * 60 * 60 * 1000;

const manifest = z.object({
  file: z.string(),
  method: z.enum(["dump", "cluster"]),
  startedAt: z.coerce.date(),
  bytes: z.number(),
  sha256: z.string(),
  postgres: z.number(),
  /** In milliseconds, as Drizzle numbers them; 0 without any. */
  schema: z.number(),
  /** `null`: not counted. */
  rows: z.record(z.string(), z.number()).nullable(),
});

/** In a file beside the backup. Without personal data. */
export type Manifest = z.infer<typeof manifest>;

export interface BackupFile {
  path: string;
  startedAt: Date;
  method: Manifest["method"];
}

export function nameOf(startedAt: Date, method: Manifest["method"], isEncrypted: boolean): string {
  const time = startedAt.toISOString().replaceAll(/[-:]|\.\d+/g, "");
  return `backup-${time}.${method === "dump" ? "dump" : "tar.gz"}${isEncrypted ? ".enc" : ""}`;
}

/** @throws BackupError when the name is not one that npm run backup gives */
export function describeFile(path: string): BackupFile {
  const [, year, month, day, hour, minute, second, kind] = NAME.exec(basename(path)) ?? [];
  if (!kind)
    throw new BackupError(`${path} is not named as a backup is: backup-20270131T040000Z.dump, or .dump.enc`);
  const startedAt = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return { path, startedAt, method: kind === "dump" ? "dump" : "cluster" };
}

export async function listBackups(folder: string): Promise<BackupFile[]> {
  if (!existsSync(folder)) return [];
  const names = (await readdir(folder)).filter((name) => NAME.test(name));
  return names
    .map((name) => describeFile(join(folder, name)))
    .sort((a, b) => b.startedAt.getTime() - a.startedAt.getTime());
}

/** @param key if there is one, only encrypted ones count: anybody could have written the others */
export async function newestBackup(folder: string, key: string | null): Promise<BackupFile | undefined> {
  return (await listBackups(folder)).find(({ path }) => key === null || path.endsWith(ENCRYPTED));
}

/** This path, or the newest for `latest`. @throws BackupError when there is none, or it is not named as one */
export async function findBackup(
  name: string,
  { dir, key }: { dir: string; key: string | null },
): Promise<BackupFile> {
  const file = name === "latest" ? await newestBackup(dir, key) : describeFile(name);
  if (!file) throw new BackupError(`there is no backup in ${dir} (BACKUP_DIR)`);
  return file;
}

/** Encrypted when there is a key, under another name until it is whole and on the disk. @returns its stored size and hash */
export async function writeWhole(
  path: string,
  source: AsyncIterable<Buffer>,
  key: string | null,
  signal?: AbortSignal,
): Promise<{ bytes: number; sha256: string }> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  // Unique: a backup and the hourly list of deletions may write the same file at the same time.
  const unfinished = `${path}.${randomUUID()}${UNFINISHED}`;
  const hash = createHash("sha256");
  let bytes = 0;
  async function* measured(pieces: AsyncIterable<Buffer>) {
    for await (const piece of pieces) {
      hash.update(piece);
      bytes += piece.length;
      yield piece;
    }
  }
  try {
    // Opened first: otherwise the cleanup after a source that fails at once would precede the file.
    const file = await open(unfinished, "wx", 0o600);
    const content = measured(key ? encrypt(source, key, whatIs(path)) : source);
    await pipeline(content, file.createWriteStream({ flush: true }), { signal });
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    const code = error instanceof Error && "code" in error ? error.code : "";
    if (code === "ENOSPC" || code === "EDQUOT")
      throw new BackupError(
        `the disk is full: there is no room for a backup in ${dirname(path)} (BACKUP_DIR)`,
      );
    throw error;
  }
  await syncFolder(dirname(path));
  return { bytes, sha256: hash.digest("hex") };
}

/** So that the new name outlives a power cut, too. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  await handle.sync().finally(() => handle.close());
}

/** The authenticated name, with its date and kind. A list of deletions may be renamed. */
function whatIs(path: string): string {
  const name = basename(path);
  return NAME.test(name.replace(MANIFEST, "")) ? name : "erasures";
}

/** @throws BackupError if it is encrypted without a key, or not encrypted with one, as it could be forged; see `decrypt` */
export function readContent(path: string, key: string | null): AsyncIterable<Buffer> {
  const isEncrypted = path.endsWith(ENCRYPTED);
  if (isEncrypted && !key)
    throw new BackupError(`${basename(path)} is encrypted: set BACKUP_KEY as it was when it was written`);
  if (!isEncrypted && key)
    throw new BackupError(
      `${basename(path)} is not encrypted, and so anybody could have written it: with BACKUP_KEY set it is not read. ` +
        "If it is yours, from before there was a key, unset BACKUP_KEY",
    );
  const stream: AsyncIterable<Buffer> = createReadStream(path, { highWaterMark: 1024 * 1024 });
  return key ? naming(basename(path), decrypt(stream, key, whatIs(path))) : stream;
}

async function* naming(name: string, content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* content;
  } catch (error) {
    throw error instanceof BackupError ? new BackupError(`${name}: ${error.message}`) : error;
  }
}

/** Reads it to its end. @throws BackupError when it is not whole, not its manifest's, or encrypted with another key */
export async function verifyFile({ path }: BackupFile, key: string | null): Promise<Manifest | null> {
  const found = await readManifest(path, key);
  // First, because it says best what is wrong.
  for await (const _ of readContent(path, key));
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  if (found && hash.digest("hex") !== found.sha256)
    throw new BackupError(
      `${basename(path)} is damaged, was changed, or its end is missing: its SHA-256 is another`,
    );
  return found;
}

export async function writeManifest(path: string, about: Manifest, key: string | null): Promise<void> {
  const text = `${JSON.stringify(about, null, 2)}\n`;
  await writeWhole(manifestOf(path, key), Readable.from([Buffer.from(text)]), key);
}

function manifestOf(path: string, key: string | null): string {
  return `${path}.json${key ? ENCRYPTED : ""}`;
}

/** `null` when only the backup was fetched. */
async function readManifest(path: string, key: string | null): Promise<Manifest | null> {
  const own = manifestOf(path, key);
  if (!existsSync(own)) return null;
  const pieces = await Array.fromAsync(readContent(own, key));
  return manifest.parse(JSON.parse(Buffer.concat(pieces).toString()));
}

/** Never the newest. Also deletes what killed runs have left. @param spared another that stays */
export async function deleteOutlivedBackups(
  folder: string,
  keepDays: number,
  spared: string | null = null,
): Promise<string[]> {
  const [, ...older] = await listBackups(folder);
  const outlived = older.filter(
    ({ path, startedAt }) =>
      basename(path) !== spared && startedAt.getTime() < Date.now() - keepDays * DAY_MILLISECONDS,
  );
  for (const { path } of outlived) {
    for (const key of [null, "any"]) await rm(manifestOf(path, key), { force: true });
    await rm(path, { force: true });
  }
  for (const name of await readdir(folder)) {
    if (!name.endsWith(UNFINISHED)) continue;
    const { mtimeMs } = await stat(join(folder, name));
    if (Date.now() - mtimeMs > DAY_MILLISECONDS) await rm(join(folder, name), { force: true });
  }
  return outlived.map(({ path }) => basename(path));
}
