import { randomBytes } from "node:crypto";
import type { Pool } from "pg";
import type { Provider } from "./identity.ts";
import type { Account } from "./people.ts";
import type { AuthorizationRequest } from "./sign-in.ts";

/** The account that a code grants, and the request it was issued for. */
export interface Grant {
  request: AuthorizationRequest;
  account: Account;
}

/** Values that a browser or the product names later by a random id. */
interface Kept {
  /** Of a browser that is shown the account chooser. */
  request: AuthorizationRequest;
  code: Grant;
  /** Facebook's access token. */
  token: Account;
}

/** Keeps a value for so many seconds. @returns its id */
export async function keep<Kind extends keyof Kept>(
  pool: Pool,
  kind: Kind,
  provider: Provider,
  value: Kept[Kind],
  seconds: number,
): Promise<string> {
  const id = randomBytes(32).toString("base64url");
  await pool.query("DELETE FROM sandbox_identity.kept WHERE expires_at < now()");
  await pool.query(
    `INSERT INTO sandbox_identity.kept (id, kind, provider, value, expires_at)
     VALUES ($1, $2, $3, $4, now() + make_interval(secs => $5))`,
    [id, kind, provider, JSON.stringify(value), seconds],
  );
  return id;
}

const IS_IT = "id = $1 AND kind = $2 AND provider = $3 AND expires_at > now()";

/** @returns `undefined` when the id is unknown, expired, of another kind or the other provider's */
export async function findKept<Kind extends keyof Kept>(
  pool: Pool,
  kind: Kind,
  provider: Provider,
  id: string,
  statement = `SELECT value FROM sandbox_identity.kept WHERE ${IS_IT}`,
): Promise<Kept[Kind] | undefined> {
  const { rows } = await pool.query<{ value: Kept[Kind] }>(statement, [id, kind, provider]);
  return rows[0]?.value;
}

/** Consumes a code, even if its request fails afterwards. @returns `undefined` as findKept does */
export function redeemCode(pool: Pool, provider: Provider, code: string): Promise<Grant | undefined> {
  const statement = `DELETE FROM sandbox_identity.kept WHERE ${IS_IT} RETURNING value`;
  return findKept(pool, "code", provider, code, statement);
}
