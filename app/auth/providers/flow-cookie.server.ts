import type { Config } from "../../config/config.server.ts";
import { createSecretToken, hashSecret } from "../../http/secret-token.server.ts";
import { createHostCookie, readCookieToken } from "../host-cookie.server.ts";

/** Longer than a flow lasts, so that one begun at the last moment can end. */
const HOUR_SECONDS = 60 * 60;

type HasOrigin = Pick<Config, "publicOrigin">;

/**
 * Tells the browser that began a sign-in from every other, by a secret that all its flows share. Without it somebody could
 * finish in your browser what they began in theirs, and you would be signed in as them.
 */
const flowCookie = (config: HasOrigin) => createHostCookie(config, "sign-in-browser", HOUR_SECONDS);

/** The hash of a browser's secret, by which its flows are found; `null` for one that began none, or keeps no cookies. */
export async function readBrowserHash(config: HasOrigin, request: Request): Promise<string | null> {
  const secret = await readCookieToken(flowCookie(config), request);
  return secret && hashSecret(secret);
}

/** The same for a browser that begins a flow. One without a secret gets one. */
export async function ensureFlowCookie(
  config: HasOrigin,
  request: Request,
): Promise<{ browserHash: string; setCookie: string }> {
  const cookie = flowCookie(config);
  const secret = (await readCookieToken(cookie, request)) ?? createSecretToken();
  return { browserHash: hashSecret(secret), setCookie: await cookie.serialize(secret) };
}
