import { createCipheriv, createDecipheriv, randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";

/**
 * `MAGIC`, a salt, a proof of the key, then chunks of AES-256-GCM. Each nonce is the chunk's number and whether it is the last, so that
 * no chunk can be changed, left out, repeated or moved, and the file cannot be cut (the STREAM construction). The key is derived from
 * BACKUP_KEY and the salt. The file's name, with its day and kind, is authenticated with each chunk.
 */
const MAGIC = Buffer.from("BACKUP\x02\n", "latin1");
const SALT_BYTES = 16;
const PROOF_BYTES = 16;
const TAG_BYTES = 16;
const HEADER_BYTES = MAGIC.length + SALT_BYTES + PROOF_BYTES;
export const CHUNK_BYTES = 65_536;

/** In words for the operator. */
export class BackupError extends Error {
  override name = "BackupError";
}

const deriveBytes = promisify<string, Buffer, number, { N: number; maxmem: number }, Buffer>(scrypt);

/** Holds one chunk at a time. @param what the file is: needed to decrypt it */
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

/** The whole is verified only at the end: read it twice before acting on it. @throws BackupError for another key, or damage */
export async function* decrypt(
  source: AsyncIterable<Buffer>,
  secret: string,
  what: string,
): AsyncGenerator<Buffer> {
  const pieces = source[Symbol.asyncIterator]();
  let begin = Buffer.alloc(0);
  while (begin.length < HEADER_BYTES) {
    const { done, value } = await pieces.next();
    if (done) break;
    begin = Buffer.concat([begin, value]);
  }
  const header = begin.subarray(0, HEADER_BYTES);
  if (header.length < HEADER_BYTES || !header.subarray(0, MAGIC.length).equals(MAGIC))
    throw new BackupError(
      "this is not a file that npm run backup has encrypted, or its beginning is missing",
    );
  const { key, proof } = await deriveKey(secret, header.subarray(MAGIC.length, MAGIC.length + SALT_BYTES));
  if (!timingSafeEqual(proof, header.subarray(-PROOF_BYTES)))
    throw new BackupError("BACKUP_KEY is not the one that this file was encrypted with");
  async function* sealedPieces() {
    yield begin.subarray(HEADER_BYTES);
    yield* { [Symbol.asyncIterator]: () => pieces };
  }
  for await (const { number, bytes: sealed, isLast } of chunksOf(sealedPieces(), CHUNK_BYTES + TAG_BYTES)) {
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

const damaged = () => new BackupError("the file is damaged, was changed or renamed, or its end is missing");

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

/** There is always a last chunk, which may be shorter, or empty if all are. */
async function* chunksOf(source: AsyncIterable<Buffer>, size: number) {
  let number = 0;
  let rest = Buffer.alloc(0);
  for await (const piece of source) {
    rest = Buffer.concat([rest, piece]);
    for (; rest.length > size; rest = rest.subarray(size))
      yield { number: number++, bytes: rest.subarray(0, size), isLast: false };
  }
  yield { number, bytes: rest, isLast: true };
}
