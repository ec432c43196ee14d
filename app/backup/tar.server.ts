import { createReadStream } from "node:fs";

const BLOCK = 512;

export interface Entry {
  /** With / between folders. At most 100 characters. */
  name: string;
  /** `null` for a folder. */
  content: { path: string; size: number } | Buffer | null;
}

/** POSIX ustar. A changing file has the length it had when it was looked at; the log mends it (cluster-copy.server.ts). */
export async function* tar(entries: AsyncIterable<Entry>): AsyncGenerator<Buffer> {
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
