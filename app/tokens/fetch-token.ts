import { ACCOUNT_HEADER } from "../ui/account-mark.ts";
import type { AccessToken } from "./access-token.server.ts";

const TIMEOUT_MILLISECONDS = 10_000;

/**
 * Asks for an access token for the signed-in browser.
 *
 * @param accountMark of the account whose page asks
 * @returns the token and its remaining lifetime in milliseconds, by the server's clock
 * @throws when there is none: signed out, or in to another account than the page is of, too many requests, or the network failed
 */
export async function fetchToken(
  signal: AbortSignal,
  accountMark: string | undefined,
): Promise<{ token: string; expiresIn: number }> {
  const response = await fetch("/api/token", {
    headers: accountMark ? { [ACCOUNT_HEADER]: accountMark } : {},
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MILLISECONDS)]),
  });
  if (!response.ok) throw new Error(`no token: ${response.status}`);
  const { token, expiresAt }: AccessToken = await response.json();
  const now = Date.parse(response.headers.get("Date") ?? "") || Date.now();
  return { token, expiresIn: Date.parse(expiresAt) - now };
}
