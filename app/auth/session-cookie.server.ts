import type { Config } from "../config/config.server.ts";
import type { RequestState } from "../http/context.server.ts";
import { type AskingRequest, createHostCookie, readCookieToken } from "./host-cookie.server.ts";
import { SESSION_DAYS } from "./sessions.server.ts";

const DAY_SECONDS = 24 * 60 * 60;

type HasOrigin = Pick<Config, "publicOrigin">;

const sessionCookie = (config: HasOrigin) => createHostCookie(config, "session", SESSION_DAYS * DAY_SECONDS);

/** The token of the session a request claims to belong to; `null` when it carries none. */
export function readSessionToken(config: HasOrigin, request: AskingRequest): Promise<string | null> {
  return readCookieToken(sessionCookie(config), request);
}

/**
 * Makes the test of whether a Cookie header carries a session cookie at all, be it of a session that has ended: by its name
 * alone, for the header of public pages, which never look a session up.
 */
export function createSessionCookieTest(config: HasOrigin): (header: string | null) => boolean {
  const named = new RegExp(`(?:^|;)[ \\t]*${sessionCookie(config).name}[ \\t]*=[ \\t]*[^;\\s]`);
  return (header) => header !== null && named.test(header);
}

/** The same for one request. */
export function hasSessionCookie(config: HasOrigin, request: AskingRequest): boolean {
  return createSessionCookieTest(config)(request.headers.get("cookie"));
}

/** Puts a session's token on the answer. */
export async function setSessionCookie(config: HasOrigin, state: RequestState, token: string): Promise<void> {
  replaceCookie(state, await sessionCookie(config).serialize(token));
}

/** Takes the session cookie away from the browser. */
export async function clearSessionCookie(config: HasOrigin, state: RequestState): Promise<void> {
  replaceCookie(state, await sessionCookie(config).serialize("", { maxAge: 0 }));
}

/** An answer names a cookie only once (RFC 6265 §4.1.1). */
export function replaceCookie(state: RequestState, setCookie: string): void {
  const name = setCookie.slice(0, setCookie.indexOf("=") + 1);
  state.setCookies = [...state.setCookies.filter((other) => !other.startsWith(name)), setCookie];
}
