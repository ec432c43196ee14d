import { type Cookie, createCookie } from "react-router";
import type { Config } from "../config/config.server.ts";
import { isSecretToken } from "../http/secret-token.server.ts";

/**
 * A cookie that scripts cannot read. Over https it is bound to this exact host by its name (`__Host-`, RFC 6265bis §4.1.3.2).
 *
 * @param maxAge in seconds
 */
export function createHostCookie(
  { publicOrigin }: Pick<Config, "publicOrigin">,
  name: string,
  maxAge: number,
): Cookie {
  const secure = publicOrigin.startsWith("https:");
  return createCookie(secure ? `__Host-${name}` : name, { httpOnly: true, secure, sameSite: "lax", maxAge });
}

/** A request, as far as it says who sent it. */
export interface AskingRequest {
  headers: Pick<Headers, "get">;
}

/** The secret token a request carries in a cookie; `null` when there is none. */
export async function readCookieToken(cookie: Cookie, request: AskingRequest): Promise<string | null> {
  const value: unknown = await cookie.parse(request.headers.get("cookie"));
  return isSecretToken(value) ? value : null;
}
