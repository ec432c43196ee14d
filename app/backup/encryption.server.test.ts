import { randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { CHUNK_BYTES, decrypt, encrypt } from "./encryption.server.ts";

const KEY = "a key of at least thirty-two characters";

const bytesOf = async (source: AsyncIterable<Buffer>) => Buffer.concat(await Array.fromAsync(source));
/** In pieces as a stream may have them. */
const pieces = (bytes: Buffer, size = 1000) =>
  Readable.from(
    Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
      bytes.subarray(index * size, (index + 1) * size),
    ),
  );
const encrypted = (bytes: Buffer, size?: number) => bytesOf(encrypt(pieces(bytes, size), KEY, "a backup"));
const decrypted = (bytes: Buffer, key = KEY, size?: number, what = "a backup") =>
  bytesOf(decrypt(pieces(bytes, size), key, what));

test.each([0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, 2 * CHUNK_BYTES + 1])(
  "%i bytes come back as they were, in whatever pieces they arrive",
  async (length) => {
    const original = randomBytes(length);
    const file = await encrypted(original, 977);
    expect(file.length).toBeGreaterThan(original.length);
    expect((await decrypted(file, KEY, 1_000_000)).equals(original)).toBe(true);
    expect((await decrypted(file, KEY, 9_973)).equals(original)).toBe(true);
  },
);

test("another key is told from a damaged file", async () => {
  const file = await encrypted(Buffer.from("Ada"));
  expect(file.includes("Ada")).toBe(false);
  await expect(decrypted(file, KEY.toUpperCase())).rejects.toThrow("BACKUP_KEY is not the one");
  await expect(decrypted(Buffer.from("Ada"))).rejects.toThrow("its beginning is missing");
});

test("as something else than it was encrypted as it is refused, also when it is empty", async () => {
  for (const bytes of [Buffer.from("Ada"), Buffer.alloc(0)]) {
    const file = await encrypted(bytes);
    await expect(decrypted(file, KEY, undefined, "a list")).rejects.toThrow("renamed");
    await expect(decrypted(file, KEY, undefined, "")).rejects.toThrow("renamed");
  }
});

test("a file that is cut anywhere, changed anywhere, or has its chunks in another order is refused", async () => {
  const file = await encrypted(randomBytes(3 * CHUNK_BYTES));
  const [header, chunk] = [40, CHUNK_BYTES + 16];
  const refused = [/damaged/, /beginning is missing/, /not the one/];
  for (const length of [39, header, header + chunk, file.length - 1])
    await expect(decrypted(file.subarray(0, length)), `cut to ${length}`).rejects.toThrow(
      new RegExp(refused.map(({ source }) => source).join("|")),
    );
  for (const at of [10, header, header + chunk, file.length - 1]) {
    const changed = Buffer.from(file);
    changed[at] = (changed[at] ?? 0) ^ 1;
    await expect(decrypted(changed), `changed at ${at}`).rejects.toThrow();
  }
  const part = (number: number) => file.subarray(header + number * chunk, header + (number + 1) * chunk);
  for (const order of [
    [1, 0, 2],
    [0, 0, 1, 2],
    [0, 1, 2, 2],
  ])
    await expect(
      decrypted(Buffer.concat([file.subarray(0, header), ...order.map(part)])),
      order.join(),
    ).rejects.toThrow("damaged");
});
