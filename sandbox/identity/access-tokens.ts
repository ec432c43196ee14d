import { randomBytes } from "node:crypto";
import type { Pool } from "pg";
import type { Face } from "./clients.ts";
import type { Account } from "./people.ts";

/** A new token with which one account can be asked about for so many seconds. */
export async function giveAccessToken(
  pool: Pool,
  face: Face,
  account: Account,
  seconds: number,
): Promise<string> {
  const token = randomBytes(32).toString("base64url");
  await pool.query("DELETE FROM sandbox_identity.access_tokens WHERE expires_at < now()");
  await pool.query(
    `INSERT INTO sandbox_identity.access_tokens (token, face, account, expires_at)
     VALUES ($1, $2, $3, now() + make_interval(secs => $4))`,
    [token, face, JSON.stringify(account), seconds],
  );
  return token;
}

export async function findAccount(pool: Pool, face: Face, token: string): Promise<Account | undefined> {
  const { rows } = await pool.query<{ account: Account }>(
    "SELECT account FROM sandbox_identity.access_tokens WHERE token = $1 AND face = $2 AND expires_at > now()",
    [token, face],
  );
  return rows[0]?.account;
}

/** The token of an Authorization header (RFC 6750 §2.1), or what stands in for it. */
export function bearerToken(request: Request, otherwise = ""): string {
  return /^Bearer +(\S+) *$/i.exec(request.headers.get("authorization") ?? "")?.[1] ?? otherwise;
}
