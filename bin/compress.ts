/**
 * Writes a brotli and a gzip copy beside every text file of the build, for app/http/static-files.server.ts, on all processors, and
 * meanwhile draws the pictures, which are no text.
 */
import { globSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";

const folder = join(import.meta.dirname, "../build/client");
/** Below this, compression gains next to nothing. */
const MIN_BYTES = 600;

// Other types are compressed already, or have no text.
const files = globSync("**/*.{css,js,json,svg,txt}", { cwd: folder });
await Promise.all([...files.map(compress), import("./pictures.ts")]);

async function compress(name: string): Promise<void> {
  const file = join(folder, name);
  const content = await readFile(file);
  if (content.byteLength < MIN_BYTES) return;
  await writeFile(`${file}.br`, await promisify(brotliCompress)(content));
  await writeFile(`${file}.gz`, await promisify(gzip)(content, { level: 9 }));
}
