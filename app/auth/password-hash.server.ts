import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";

/** 32 MiB and some 50 milliseconds of another thread for each hash. */
const COST = { N: 16_384, r: 16, p: 1, maxmem: 64 * 1024 * 1024 };
const KEY_BYTES = 64;
const SALT_BYTES = 16;

/** A password as it is stored: `salt:key` in hex, by scrypt. The hashes of Better Auth, which we used before, are the same (0034). */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES).toString("hex");
  return `${salt}:${(await deriveKey(password, salt)).toString("hex")}`;
}

/** Whether a password has this hash. A malformed hash matches nothing, and takes as long. */
export async function checkHash(hash: string, password: string): Promise<boolean> {
  const [salt = "", key = ""] = hash.split(":");
  const expected = Buffer.from(key, "hex");
  const derived = await deriveKey(password, salt);
  return expected.length === derived.length && timingSafeEqual(expected, derived);
}

/** No password has it: what is compared where there is none. */
export const DECOY_HASH = [SALT_BYTES, KEY_BYTES]
  .map((length) => randomBytes(length).toString("hex"))
  .join(":");

/** The same password typed on two systems may differ in bytes: NFKC makes them one (NIST SP 800-63B-4 §3.1.1.2). */
function deriveKey(password: string, salt: string): Promise<Buffer> {
  return new Promise((resolve, reject) =>
    scrypt(password.normalize("NFKC"), salt, KEY_BYTES, COST, (error, key) =>
      error ? reject(error) : resolve(key),
    ),
  );
}
