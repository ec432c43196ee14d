import { type Cookie, createCookie } from "react-router";
import type { Config } from "../config/config.server.ts";
import type { RequestState } from "../http/context.server.ts";
import { createSecretToken, hashSecret, isSecretToken } from "../http/secret-token.server.ts";
import { PENDING_MINUTES, SESSION_DAYS } from "./sessions.server.ts";

type HasOrigin = Pick<Config, "publicOrigin">;

/**
 * A cookie that scripts cannot read. Over https it is bound to this exact host by its name (`__Host-`, RFC 6265bis §4.1.3.2).
 *
 * @param maxAge in seconds
 */
export function createHostCookie({ publicOrigin }: HasOrigin, name: string, maxAge: number): Cookie {
  const secure = publicOrigin.startsWith("https:");
  return createCookie(secure ? `__Host-${name}` : name, { httpOnly: true, secure, sameSite: "lax", maxAge });
}

/** A request, as far as it says who sent it. */
export interface AskingRequest {
  headers: Pick<Headers, "get">;
}

async function readCookieToken(cookie: Cookie, request: AskingRequest): Promise<string | null> {
  const value: unknown = await cookie.parse(request.headers.get("cookie"));
  return isSecretToken(value) ? value : null;
}

const DAY_SECONDS = 24 * 60 * 60;

const sessionCookie = (config: HasOrigin) => createHostCookie(config, "session", SESSION_DAYS * DAY_SECONDS);

/** The token of the session a request claims to belong to; `null` when it carries none. */
export function readSessionToken(config: HasOrigin, request: AskingRequest): Promise<string | null> {
  return readCookieToken(sessionCookie(config), request);
}

/**
 * Returns a test of whether a Cookie header has a session cookie, valid or not. Public pages ask no more than that.
 */
export function createSessionCookieTest(config: HasOrigin): (header: string | null) => boolean {
  const named = new RegExp(`(?:^|;)[ \\t]*${sessionCookie(config).name}[ \\t]*=[ \\t]*[^;\\s]`);
  return (header) => header !== null && named.test(header);
}

/** The same for one request. */
export function hasSessionCookie(config: HasOrigin, request: AskingRequest): boolean {
  return createSessionCookieTest(config)(request.headers.get("cookie"));
}

export async function setSessionCookie(config: HasOrigin, state: RequestState, token: string): Promise<void> {
  replaceCookie(state, await sessionCookie(config).serialize(token));
}

export async function clearSessionCookie(config: HasOrigin, state: RequestState): Promise<void> {
  replaceCookie(state, await sessionCookie(config).serialize("", { maxAge: 0 }));
}

/** An answer names a cookie only once (RFC 6265 §4.1.1). */
export function replaceCookie(state: RequestState, setCookie: string): void {
  const name = setCookie.slice(0, setCookie.indexOf("=") + 1);
  state.setCookies = [...state.setCookies.filter((other) => !other.startsWith(name)), setCookie];
}

/**
 * The cookie of a sign-in that waits for its second factor. Not the session cookie: public pages take that one for signed in, and
 * others clear it when it is invalid.
 */
const pendingCookie = (config: HasOrigin) => createHostCookie(config, "second-factor", PENDING_MINUTES * 60);

/** The token of the sign-in that waits in this browser; `null` when none does. */
export function readPendingToken(config: HasOrigin, request: Request): Promise<string | null> {
  return readCookieToken(pendingCookie(config), request);
}

export async function setPendingCookie(config: HasOrigin, state: RequestState, token: string): Promise<void> {
  replaceCookie(state, await pendingCookie(config).serialize(token));
}

export async function clearPendingCookie(config: HasOrigin, state: RequestState): Promise<void> {
  replaceCookie(state, await pendingCookie(config).serialize("", { maxAge: 0 }));
}

/** Longer than a flow lasts. */
const HOUR_SECONDS = 60 * 60;

/**
 * Binds provider flows to the browser that began them. Without it, a flow begun in an attacker's browser could be finished in yours,
 * signing you in as the attacker.
 */
const flowCookie = (config: HasOrigin) => createHostCookie(config, "sign-in-browser", HOUR_SECONDS);

/** The hash of the browser's secret, by which its flows are found; `null` without the cookie. */
export async function readBrowserHash(config: HasOrigin, request: Request): Promise<string | null> {
  const secret = await readCookieToken(flowCookie(config), request);
  return secret && hashSecret(secret);
}

/** The same for a new flow: makes the secret if the browser has none. */
export async function ensureFlowCookie(
  config: HasOrigin,
  request: Request,
): Promise<{ browserHash: string; setCookie: string }> {
  const cookie = flowCookie(config);
  const secret = (await readCookieToken(cookie, request)) ?? createSecretToken();
  return { browserHash: hashSecret(secret), setCookie: await cookie.serialize(secret) };
}
