import { createHash, randomBytes } from "node:crypto";
import type { Pool } from "pg";
import type { Provider } from "./identity.ts";
import type { Account } from "./people.ts";
import type { AuthorizationRequest } from "./sign-in.ts";

export interface Grant {
  request: AuthorizationRequest;
  account: Account;
}

/** Values that a browser or the product names later by a random id. */
interface Kept {
  request: AuthorizationRequest;
  code: Grant;
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

/**
 * Consumes a code, even if its request fails afterwards. The request must come from the client and the page that the code was
 * issued to, with its PKCE verifier. @returns `undefined` as findKept does
 */
export async function redeemCode(
  pool: Pool,
  provider: Provider,
  form: URLSearchParams,
): Promise<Grant | undefined> {
  const statement = `DELETE FROM sandbox_identity.kept WHERE ${IS_IT} RETURNING value`;
  const grant = await findKept(pool, "code", provider, form.get("code") ?? "", statement);
  const { client_id, redirect_uri, code_challenge } = grant?.request ?? {};
  const isBound =
    client_id === form.get("client_id") &&
    redirect_uri === form.get("redirect_uri") &&
    code_challenge === challengeOf(form.get("code_verifier"));
  return isBound ? grant : undefined;
}

/** RFC 7636 §4.6. A verifier without a challenge is an error too (RFC 9700 §2.1.1). */
function challengeOf(verifier: string | null): string | undefined {
  return verifier === null ? undefined : createHash("sha256").update(verifier).digest("base64url");
}
