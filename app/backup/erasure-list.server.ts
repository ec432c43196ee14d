import { existsSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import type { Queryable } from "../db/client.server.ts";
import { type Erasure, erasureList } from "../db/erasures.server.ts";
import { erasures } from "../db/schema.ts";
import { readContent, writeWhole } from "./folder.server.ts";

const DAY_MILLISECONDS = 24 * 60 * 60 * 1000;

export function erasureFile(folder: string, key: string | null): string {
  return join(folder, `erasures.json${key ? ".enc" : ""}`);
}

/** @throws BackupError when it cannot be read; SyntaxError or ZodError when it is something else */
export async function readErasures(path: string, key: string | null): Promise<Erasure[]> {
  const pieces = await Array.fromAsync(readContent(path, key));
  return erasureList.parse(JSON.parse(Buffer.concat(pieces).toString()));
}

/** Keeps the file's own entries, so that a new database does not lose them. @returns how many there are */
export async function writeErasures(
  db: Queryable,
  { dir, key, keepDays }: { dir: string; key: string | null; keepDays: number },
): Promise<number> {
  const path = erasureFile(dir, key);
  // Never the unencrypted list once there is a key: it could be forged.
  const known = existsSync(path) ? await readErasures(path, key) : [];
  const list = dedupe([...known, ...(await db.select().from(erasures))]);
  const oldest = Date.now() - keepDays * DAY_MILLISECONDS;
  const kept = list.filter(({ erasedAt }) => erasedAt.getTime() >= oldest);
  await writeWhole(path, Readable.from([Buffer.from(JSON.stringify(kept))]), key);
  return kept.length;
}

export function dedupe(list: readonly Erasure[]): Erasure[] {
  return [...new Map(list.map((one) => [`${one.subject} ${one.id}`, one])).values()];
}
