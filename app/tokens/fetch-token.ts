import type { AccessToken } from "./access-token.server.ts";

const TIMEOUT_MILLISECONDS = 10_000;

/**
 * Asks for an access token for the signed-in browser.
 *
 * @returns the token and its remaining lifetime in milliseconds, by the server's clock
 * @throws when there is none: signed out, too many requests, or the network failed
 */
export async function fetchToken(signal: AbortSignal): Promise<{ token: string; expiresIn: number }> {
  const response = await fetch("/api/token", {
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MILLISECONDS)]),
  });
  if (!response.ok) throw new Error(`no token: ${response.status}`);
  const { token, expiresAt }: AccessToken = await response.json();
  const now = Date.parse(response.headers.get("Date") ?? "") || Date.now();
  return { token, expiresIn: Date.parse(expiresAt) - now };
}
