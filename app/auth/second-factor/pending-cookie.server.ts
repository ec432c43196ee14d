import type { Config } from "../../config/config.server.ts";
import type { RequestState } from "../../http/context.server.ts";
import { createHostCookie, readCookieToken } from "../host-cookie.server.ts";
import { replaceCookie } from "../session-cookie.server.ts";
import { PENDING_MINUTES } from "../sessions.server.ts";

type HasOrigin = Pick<Config, "publicOrigin">;

/**
 * Of a sign-in that waits for its second factor. Not the session's own cookie: public pages take whoever carries that one
 * for signed in, and a page that finds it worth nothing takes it away.
 */
const pendingCookie = (config: HasOrigin) => createHostCookie(config, "second-factor", PENDING_MINUTES * 60);

/** The token of the sign-in that waits in this browser; `null` when none does. */
export function readPendingToken(config: HasOrigin, request: Request): Promise<string | null> {
  return readCookieToken(pendingCookie(config), request);
}

/** Puts the token of a sign-in that waits on the answer. */
export async function setPendingCookie(config: HasOrigin, state: RequestState, token: string): Promise<void> {
  replaceCookie(state, await pendingCookie(config).serialize(token));
}

/** Takes it away. */
export async function clearPendingCookie(config: HasOrigin, state: RequestState): Promise<void> {
  replaceCookie(state, await pendingCookie(config).serialize("", { maxAge: 0 }));
}
