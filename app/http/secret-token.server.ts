import { createHash, createHmac, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";

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

/** An id and its HMAC-SHA256 in base64url, for a link that needs no sign-in. @param purpose what the link opens */
export function signId(id: string, purpose: string, authSecret: string): string {
  const mac = createHmac("sha256", authSecret).update(`${purpose} ${id}`).digest("base64url");
  return `${id}_${mac}`;
}

const SIGNED_ID = /^([\w-]{36})_[\w-]{43}$/;

/** `null`: not signed by us for this purpose. */
export function readSignedId(token: string, purpose: string, authSecrets: readonly string[]): string | null {
  const [, id] = SIGNED_ID.exec(token) ?? [];
  if (!id) return null;
  const isOurs = authSecrets.some((secret) =>
    timingSafeEqual(Buffer.from(token), Buffer.from(signId(id, purpose, secret))),
  );
  return isOurs ? id : null;
}
