import { createCipheriv, createDecipheriv, randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";

/**
 * An encrypted file: `MAGIC`, a salt, a proof of the key, then chunks of AES-256-GCM. Each chunk's nonce is its number and
 * whether it is the last, so that none can be changed, left out, repeated or put elsewhere, and the file cannot be cut,
 * without that being noticed (the STREAM construction). The key is the file's own, made from BACKUP_KEY and the salt. What the file
 * is, its name for example, is authenticated with each chunk: under another name, which says another day or kind, it is none.
 */
const MAGIC = Buffer.from("BACKUP\x02\n", "latin1");
const SALT_BYTES = 16;
const PROOF_BYTES = 16;
const TAG_BYTES = 16;
const HEADER_BYTES = MAGIC.length + SALT_BYTES + PROOF_BYTES;
export const CHUNK_BYTES = 65_536;

/** A file cannot be read, with what that means for the operator. */
export class BackupFileError extends Error {
  override name = "BackupFileError";
}

const deriveBytes = promisify<string, Buffer, number, { N: number; maxmem: number }, Buffer>(scrypt);

/** Encrypts what passes through. Holds one chunk at a time. @param what the file is: only as that it can be decrypted */
export async function* encrypt(
  source: AsyncIterable<Buffer>,
  secret: string,
  what: string,
): AsyncGenerator<Buffer> {
  const salt = randomBytes(SALT_BYTES);
  const { key, proof } = await deriveKey(secret, salt);
  yield Buffer.concat([MAGIC, salt, proof]);
  for await (const { number, bytes, isLast } of chunksOf(source, CHUNK_BYTES)) {
    const cipher = createCipheriv("aes-256-gcm", key, nonceOf(number, isLast)).setAAD(Buffer.from(what));
    yield Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
  }
}

/**
 * Decrypts what `encrypt` wrote. A chunk is passed on only once it is known to be genuine, but whether the file is whole is
 * known at its end: whoever must not act on half of one reads it twice.
 *
 * @throws BackupFileError when the key is another, it is something else, or the file is damaged, changed or cut
 */
export async function* decrypt(
  source: AsyncIterable<Buffer>,
  secret: string,
  what: string,
): AsyncGenerator<Buffer> {
  const bytes = reader(source);
  const header = await bytes.read(HEADER_BYTES);
  if (header.length < HEADER_BYTES || !header.subarray(0, MAGIC.length).equals(MAGIC))
    throw new BackupFileError(
      "this is not a file that npm run backup has encrypted, or its beginning is missing",
    );
  const { key, proof } = await deriveKey(secret, header.subarray(MAGIC.length, MAGIC.length + SALT_BYTES));
  if (!timingSafeEqual(proof, header.subarray(-PROOF_BYTES)))
    throw new BackupFileError("BACKUP_KEY is not the one that this file was encrypted with");
  for await (const { number, bytes: sealed, isLast } of chunksOf(bytes.rest(), CHUNK_BYTES + TAG_BYTES)) {
    if (sealed.length < TAG_BYTES) throw damaged();
    const decipher = createDecipheriv("aes-256-gcm", key, nonceOf(number, isLast));
    decipher.setAAD(Buffer.from(what)).setAuthTag(sealed.subarray(-TAG_BYTES));
    try {
      yield Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()]);
    } catch {
      throw damaged();
    }
  }
}

const damaged = () =>
  new BackupFileError("the file is damaged, was changed or renamed, or its end is missing");

async function deriveKey(secret: string, salt: Buffer): Promise<{ key: Buffer; proof: Buffer }> {
  const options = { N: 16_384, maxmem: 64 * 1024 * 1024 };
  const derived = await deriveBytes(secret, salt, 32 + PROOF_BYTES, options);
  return { key: derived.subarray(0, 32), proof: derived.subarray(32) };
}

function nonceOf(number: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeBigUInt64BE(BigInt(number), 3);
  nonce[11] = isLast ? 1 : 0;
  return nonce;
}

/** The bytes in chunks of this size. There is always a last one, which may be shorter, or empty if all are. */
async function* chunksOf(source: AsyncIterable<Buffer>, size: number) {
  const bytes = reader(source);
  let chunk = await bytes.read(size);
  for (let number = 0; ; number++) {
    const next = chunk.length === size ? await bytes.read(size) : Buffer.alloc(0);
    const isLast = next.length === 0;
    yield { number, bytes: chunk, isLast };
    if (isLast) return;
    chunk = next;
  }
}

/** Reads so many bytes at a time, fewer only at the end. */
function reader(source: AsyncIterable<Buffer>) {
  const iterator = source[Symbol.asyncIterator]();
  let pieces: Buffer[] = [];
  let length = 0;
  let isOver = false;
  async function fill(): Promise<void> {
    const { done, value } = await iterator.next();
    if (done) isOver = true;
    else {
      pieces.push(value);
      length += value.length;
    }
  }
  async function read(size: number): Promise<Buffer> {
    while (length < size && !isOver) await fill();
    const all = Buffer.concat(pieces);
    pieces = all.length > size ? [all.subarray(size)] : [];
    length = Math.max(0, all.length - size);
    return all.subarray(0, size);
  }
  async function* rest(): AsyncGenerator<Buffer> {
    while (!isOver || length > 0) {
      const all = Buffer.concat(pieces);
      [pieces, length] = [[], 0];
      if (all.length > 0) yield all;
      else await fill();
    }
  }
  return { read, rest };
}
