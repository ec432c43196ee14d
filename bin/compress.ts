/**
 * Writes a brotli and a gzip copy beside every text file of the build, for app/http/static-files.server.ts, on all processors, and
 * meanwhile draws the pictures, which are no text.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { encode } from "../app/http/encoding.server.ts";
import { readStaticFiles } from "../app/http/static-files.server.ts";

const folder = join(import.meta.dirname, "../build/client");
/** Other types are compressed already, or have no text. */
const TEXT = /\.(css|js|json|svg|txt)$/;
/** Below this, compression gains next to nothing. */
const MIN_BYTES = 600;

// A file that a start would refuse is refused here, where its author sees it.
const compressed = readStaticFiles(folder)
  .filter(({ path, identity }) => TEXT.test(path) && identity.byteLength >= MIN_BYTES)
  .flatMap(({ path, identity }) => [
    write(path, identity, "br", ".br"),
    write(path, identity, "gzip", ".gz"),
  ]);
await Promise.all([...compressed, import("./pictures.ts")]);

async function write(path: string, content: Buffer, encoding: "br" | "gzip", suffix: string): Promise<void> {
  await writeFile(join(folder, path + suffix), await encode(Buffer.from(content), encoding, "once"));
}
