import { createHash, hkdfSync, randomBytes } from "node:crypto";

/** 256 bits in base64url. */
const TOKEN = /^[\w-]{43}$/;

/** A random secret: of a session, of a link in an email, of a browser. */
export function createSecretToken(): string {
  return randomBytes(32).toString("base64url");
}

/** The secret that replaces another: always the same one, and not derivable from the old one alone. */
export function nextSecretToken(authSecret: string, token: string): string {
  return Buffer.from(hkdfSync("sha256", authSecret, token, "the token after", 32)).toString("base64url");
}

/** Whether an untrusted value has the form of a secret token. */
export function isSecretToken(value: unknown): value is string {
  return typeof value === "string" && TOKEN.test(value);
}

/** The hash under which a table stores a secret: SHA-256 in base64url. Passwords have their own hash. */
export function hashSecret(secret: string): string {
  return createHash("sha256").update(secret).digest("base64url");
}

/** The secret token in a link's query; `null` without one. */
export function readLinkToken(request: Request): string | null {
  const token = new URL(request.url).searchParams.get("token");
  return isSecretToken(token) ? token : null;
}
