import { type Cookie, createCookie } from "react-router";
import type { Config } from "../config/config.server.ts";
import type { RequestState } from "../http/context.server.ts";
import { createSecretToken, hashSecret, isSecretToken } from "../http/secret-token.server.ts";
import { PENDING_MINUTES, SESSION_DAYS } from "./sessions.server.ts";

type HasOrigin = Pick<Config, "publicOrigin">;

/** HttpOnly; over https bound to this host by its name (`__Host-`, RFC 6265bis §4.1.3.2). @param maxAge in seconds */
export function createHostCookie({ publicOrigin }: HasOrigin, name: string, maxAge: number): Cookie {
  const secure = publicOrigin.startsWith("https:");
  return createCookie(secure ? `__Host-${name}` : name, { httpOnly: true, secure, sameSite: "lax", maxAge });
}

export interface AskingRequest {
  headers: Pick<Headers, "get">;
}

/** Lifetimes in seconds. */
const COOKIES = {
  session: { name: "session", maxAge: SESSION_DAYS * 24 * 60 * 60 },
  /** Not the session cookie, which public pages take for signed in. */
  pending: { name: "second-factor", maxAge: PENDING_MINUTES * 60 },
  /** Binds provider flows to the browser that began them: an attacker's flow finished in yours would sign you in as them. */
  flow: { name: "sign-in-browser", maxAge: 60 * 60 },
} as const;

type TokenCookie = keyof typeof COOKIES;

function cookieOf(config: HasOrigin, which: TokenCookie): Cookie {
  const { name, maxAge } = COOKIES[which];
  return createHostCookie(config, name, maxAge);
}

export async function readToken(config: HasOrigin, which: TokenCookie, { headers }: AskingRequest) {
  const value: unknown = await cookieOf(config, which).parse(headers.get("cookie"));
  return isSecretToken(value) ? value : null;
}

/** `null` clears the cookie. */
export async function setToken(
  config: HasOrigin,
  state: RequestState,
  which: TokenCookie,
  token: string | null,
): Promise<void> {
  replaceCookie(
    state,
    await cookieOf(config, which).serialize(token ?? "", token === null ? { maxAge: 0 } : {}),
  );
}

/** An answer names a cookie only once (RFC 6265 §4.1.1). */
export function replaceCookie(state: RequestState, setCookie: string): void {
  const name = setCookie.slice(0, setCookie.indexOf("=") + 1);
  state.setCookies = [...state.setCookies.filter((other) => !other.startsWith(name)), setCookie];
}

/** Whether a Cookie header has a session cookie, valid or not: all that public pages ask. */
export function createSessionCookieTest(config: HasOrigin): (header: string | null) => boolean {
  const named = new RegExp(`(?:^|;)[ \\t]*${cookieOf(config, "session").name}[ \\t]*=[ \\t]*[^;\\s]`);
  return (header) => header !== null && named.test(header);
}

export function hasSessionCookie(config: HasOrigin, request: AskingRequest): boolean {
  return createSessionCookieTest(config)(request.headers.get("cookie"));
}

/** The hash by which the browser's flows are found. */
export async function readBrowserHash(config: HasOrigin, request: Request): Promise<string | null> {
  const secret = await readToken(config, "flow", request);
  return secret && hashSecret(secret);
}

/** Creates the secret if the browser has none. */
export async function ensureFlowCookie(config: HasOrigin, request: Request) {
  const secret = (await readToken(config, "flow", request)) ?? createSecretToken();
  return { browserHash: hashSecret(secret), setCookie: await cookieOf(config, "flow").serialize(secret) };
}
