import { randomBytes } from "node:crypto";
import type { Config } from "../../config/config.server.ts";
import { hashOfSecret } from "../../db/secret-hash.server.ts";

/** Longer than a flow lasts, so that one begun at the last moment can end. In seconds. */
const MAX_AGE_SECONDS = 60 * 60;
const SECRET = /^[\w-]{43}$/;

/**
 * What tells the browser that began a sign-in from every other: a secret in a cookie, shared by all it begins. Without
 * it somebody could finish in your browser what they began in theirs, and you would be signed in as them.
 */
export interface Browser {
  /** As it is kept: SHA-256 in base64url. */
  hash: string;
  setCookie: string;
}

/** The browser of a request; one that has no secret yet gets one. */
export function recogniseBrowser(request: Request, config: Config): Browser {
  const secret = readSecret(request, config) ?? randomBytes(32).toString("base64url");
  const isHttps = config.publicOrigin.startsWith("https:");
  const attributes = `Path=/; Max-Age=${MAX_AGE_SECONDS}; HttpOnly; SameSite=Lax${isHttps ? "; Secure" : ""}`;
  return { hash: hashOfSecret(secret), setCookie: `${nameOf(config)}=${secret}; ${attributes}` };
}

/** The hash of a browser that began something; `null` for one that did not, or keeps no cookies. */
export function readBrowserHash(request: Request, config: Config): string | null {
  const secret = readSecret(request, config);
  return secret && hashOfSecret(secret);
}

function readSecret(request: Request, config: Config): string | null {
  const start = `${nameOf(config)}=`;
  const cookies = request.headers.get("cookie")?.split(/; */) ?? [];
  const secret = cookies.find((cookie) => cookie.startsWith(start))?.slice(start.length);
  return secret && SECRET.test(secret) ? secret : null;
}

function nameOf({ publicOrigin }: Config): string {
  return publicOrigin.startsWith("https:") ? "__Host-sign-in-browser" : "sign-in-browser";
}
