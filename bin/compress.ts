/** Writes a brotli and a gzip copy beside every text file of the build, for app/http/static-files.server.ts. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { encode } from "../app/http/encoding.server.ts";

const folder = join(import.meta.dirname, "../build/client");
const TEXT = /\.(js|css|svg)$/;
/** Below this, compression gains next to nothing. */
const MIN_BYTES = 600;

for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
  if (!TEXT.test(name)) continue;
  const file = join(folder, name);
  const content = readFileSync(file);
  if (content.byteLength < MIN_BYTES) continue;
  writeFileSync(`${file}.br`, await encode(content, "br", "once"));
  writeFileSync(`${file}.gz`, await encode(content, "gzip", "once"));
}
