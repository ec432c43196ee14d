/**
 * Writes a brotli and a gzip copy beside every text file of the build, for app/http/static-files.server.ts, on all processors, and
 * meanwhile draws the pictures, which are no text.
 */
import { readdirSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { encode } from "../app/http/encoding.server.ts";

const folder = join(import.meta.dirname, "../build/client");
const TEXT = /\.(js|css|svg)$/;
/** Below this, compression gains next to nothing. */
const MIN_BYTES = 600;

const compressed = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((name) => TEXT.test(name))
  .flatMap((name) => {
    const file = join(folder, name);
    const content = readFileSync(file);
    if (content.byteLength < MIN_BYTES) return [];
    return [write(`${file}.br`, content, "br"), write(`${file}.gz`, content, "gzip")];
  });
await Promise.all([...compressed, import("./pictures.ts")]);

async function write(file: string, content: Buffer<ArrayBuffer>, encoding: "br" | "gzip"): Promise<void> {
  await writeFile(file, await encode(content, encoding, "once"));
}
