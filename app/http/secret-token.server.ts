import { createHash, hkdfSync, randomBytes } from "node:crypto";

/** 256 bits in base64url. */
const TOKEN = /^[\w-]{43}$/;

export function createSecretToken(): string {
  return randomBytes(32).toString("base64url");
}

/** Always the same replacement, not derivable from the old secret alone. */
export function nextSecretToken(authSecret: string, token: string): string {
  return Buffer.from(hkdfSync("sha256", authSecret, token, "the token after", 32)).toString("base64url");
}

export function isSecretToken(value: unknown): value is string {
  return typeof value === "string" && TOKEN.test(value);
}

/** SHA-256 in base64url. Passwords have their own hash. */
export function hashSecret(secret: string): string {
  return createHash("sha256").update(secret).digest("base64url");
}

export function readLinkToken(request: Request): string | null {
  const token = new URL(request.url).searchParams.get("token");
  return isSecretToken(token) ? token : null;
}
