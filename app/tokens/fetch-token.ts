import { ACCOUNT_HEADER } from "../ui/account-mark.ts";
import type { AccessToken } from "./token.ts";

const TIMEOUT_MILLISECONDS = 10_000;

/** `expiresIn` in milliseconds by the server's clock. @param accountMark of the account whose page it is. @throws when there is none */
export async function fetchToken(signal: AbortSignal, accountMark: string | undefined) {
  const response = await fetch("/api/token", {
    headers: accountMark ? { [ACCOUNT_HEADER]: accountMark } : {},
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MILLISECONDS)]),
  });
  if (!response.ok) throw new Error(`no token: ${response.status}`);
  const { token, expiresAt }: AccessToken = await response.json();
  const now = Date.parse(response.headers.get("Date") ?? "") || Date.now();
  return { token, expiresIn: Date.parse(expiresAt) - now };
}
