import { createHash } from "node:crypto";

/**
 * What a table keeps of a secret that somebody else has: SHA-256 in base64url. For secrets nobody can guess; passwords
 * have their own.
 */
export function hashOfSecret(secret: string): string {
  return createHash("sha256").update(secret).digest("base64url");
}
