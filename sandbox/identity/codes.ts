import { randomBytes } from "node:crypto";
import type { Pool } from "pg";
import type { Face } from "./clients.ts";
import type { Account } from "./people.ts";
import type { AuthorizationRequest } from "./sign-in/authorization-request.ts";

/** What a code stands for: what was asked, and who it is. */
export interface Grant {
  request: AuthorizationRequest;
  account: Account;
}

/** A new code, good once within 60 seconds. */
export async function giveCode(
  pool: Pool,
  face: Face,
  request: AuthorizationRequest,
  account: Account,
): Promise<string> {
  const code = `4/${randomBytes(32).toString("base64url")}`;
  await pool.query("DELETE FROM sandbox_identity.codes WHERE expires_at < now()");
  await pool.query(
    "INSERT INTO sandbox_identity.codes (code, face, request, account) VALUES ($1, $2, $3, $4)",
    [code, face, JSON.stringify(request), JSON.stringify(account)],
  );
  return code;
}

/** Uses a code up, whatever comes of it. @returns `undefined` when it is unknown, used, too old or the other face's */
export async function takeCode(pool: Pool, face: Face, code: string): Promise<Grant | undefined> {
  const { rows } = await pool.query<Grant & { isAlive: boolean }>(
    `DELETE FROM sandbox_identity.codes WHERE code = $1 AND face = $2
     RETURNING request, account, expires_at > now() AS "isAlive"`,
    [code, face],
  );
  return rows.find(({ isAlive }) => isAlive);
}
