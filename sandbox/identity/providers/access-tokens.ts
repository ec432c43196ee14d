import { randomBytes } from "node:crypto";
import type { Pool } from "pg";
import type { Provider } from "../endpoints.ts";
import type { Account } from "../people.ts";

/** A new token with which one account can be read for so many seconds. */
export async function issueAccessToken(
  pool: Pool,
  provider: Provider,
  account: Account,
  seconds: number,
): Promise<string> {
  const token = randomBytes(32).toString("base64url");
  await pool.query("DELETE FROM sandbox_identity.access_tokens WHERE expires_at < now()");
  await pool.query(
    `INSERT INTO sandbox_identity.access_tokens (token, provider, account, expires_at)
     VALUES ($1, $2, $3, now() + make_interval(secs => $4))`,
    [token, provider, JSON.stringify(account), seconds],
  );
  return token;
}

export async function findAccount(
  pool: Pool,
  provider: Provider,
  token: string,
): Promise<Account | undefined> {
  const { rows } = await pool.query<{ account: Account }>(
    `SELECT account FROM sandbox_identity.access_tokens
     WHERE token = $1 AND provider = $2 AND expires_at > now()`,
    [token, provider],
  );
  return rows[0]?.account;
}

/** The token in the Authorization header (RFC 6750 §2.1), or the fallback. */
export function bearerToken(request: Request, fallback = ""): string {
  return /^Bearer +(\S+) *$/i.exec(request.headers.get("authorization") ?? "")?.[1] ?? fallback;
}
