import { hkdfSync } from "node:crypto";
import { CompactEncrypt, compactDecrypt } from "jose";

/**
 * Encrypts with AUTH_SECRET what is stored and has to be read again (RFC 7516).
 *
 * @param purpose each has a key of its own (RFC 5869): what is sealed for one does not open for another
 */
export function seal(authSecret: string, purpose: string, text: string): Promise<string> {
  return new CompactEncrypt(Buffer.from(text))
    .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
    .encrypt(keyFrom(authSecret, purpose));
}

/** @throws when it was sealed with another secret, or for another purpose */
export async function unseal(authSecret: string, purpose: string, sealed: string): Promise<string> {
  const { plaintext } = await compactDecrypt(sealed, keyFrom(authSecret, purpose));
  return Buffer.from(plaintext).toString();
}

/** The key of a purpose (RFC 5869). */
export function keyFrom(authSecret: string, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", authSecret, "", purpose, 32));
}
