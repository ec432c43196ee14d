import { createHash, randomBytes } from "node:crypto";
import type { Pool } from "pg";
import type { Provider } from "../endpoints.ts";
import type { Account } from "../people.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";

/** What a code grants: an account, to the request it was issued for. */
export interface Grant {
  request: AuthorizationRequest;
  account: Account;
}

/** A new code, which can be redeemed once within 60 seconds. */
export async function issueCode(
  pool: Pool,
  provider: Provider,
  { request, account }: Grant,
): Promise<string> {
  const code = `4/${randomBytes(32).toString("base64url")}`;
  await pool.query("DELETE FROM sandbox_identity.codes WHERE expires_at < now()");
  await pool.query(
    "INSERT INTO sandbox_identity.codes (code, provider, request, account) VALUES ($1, $2, $3, $4)",
    [code, provider, JSON.stringify(request), JSON.stringify(account)],
  );
  return code;
}

/**
 * Uses up a code, whatever comes of it.
 *
 * @returns `undefined` when it is unknown, used, expired or the other provider's
 */
export async function redeemCode(pool: Pool, provider: Provider, code: string): Promise<Grant | undefined> {
  const { rows } = await pool.query<Grant & { isAlive: boolean }>(
    `DELETE FROM sandbox_identity.codes WHERE code = $1 AND provider = $2
     RETURNING request, account, expires_at > now() AS "isAlive"`,
    [code, provider],
  );
  return rows.find(({ isAlive }) => isAlive);
}

/** Whether a token request comes from the client and the page the code was issued to, with its PKCE verifier. */
export function isBoundTo({ request }: Grant, form: URLSearchParams, clientId: string): boolean {
  return (
    request.clientId === clientId &&
    request.redirectUri === form.get("redirect_uri") &&
    request.codeChallenge === challengeOf(form.get("code_verifier"))
  );
}

/** RFC 7636 §4.6. A verifier without a challenge is an error too (RFC 9700 §2.1.1). */
function challengeOf(verifier: string | null): string | null {
  return verifier === null ? null : createHash("sha256").update(verifier).digest("base64url");
}
