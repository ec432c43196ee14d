import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK_RSA_Private } from "jose";
import type { Pool } from "pg";

/** An RSA key as it is stored (RFC 7517). */
export type SigningKey = JWK_RSA_Private & { kid: string };

/** Creates the first key, if there is none: one, whichever of several processes comes first. */
export async function ensureSigningKey(pool: Pool): Promise<void> {
  const { rowCount } = await pool.query("SELECT FROM sandbox_identity.signing_keys LIMIT 1");
  if (rowCount) return;
  await pool.query(
    "INSERT INTO sandbox_identity.signing_keys VALUES (1, $1) ON CONFLICT (number) DO NOTHING",
    [JSON.stringify(await makeSigningKey())],
  );
}

/** Creates a new key that signs from now on. Two rotations at the same time may create only one. */
export async function rotateSigningKey(pool: Pool): Promise<void> {
  await pool.query(
    `INSERT INTO sandbox_identity.signing_keys
     SELECT max(number) + 1, $1 FROM sandbox_identity.signing_keys ON CONFLICT (number) DO NOTHING`,
    [JSON.stringify(await makeSigningKey())],
  );
}

/** A new key, which is not stored; its id is its thumbprint (RFC 7638). */
export async function makeSigningKey(): Promise<SigningKey> {
  const { privateKey } = await generateKeyPair("RS256", { extractable: true });
  const jwk = (await exportJWK(privateKey)) as JWK_RSA_Private;
  return { ...jwk, kid: await calculateJwkThumbprint(jwk) };
}

/** Every key, the one that signs first. */
export async function listSigningKeys(pool: Pool): Promise<SigningKey[]> {
  const { rows } = await pool.query<{ private_jwk: SigningKey }>(
    "SELECT private_jwk FROM sandbox_identity.signing_keys ORDER BY number DESC",
  );
  return rows.map((row) => row.private_jwk);
}

/** The part of a key that may be published. */
export function publicPart({ kty, n, e, kid }: SigningKey) {
  return { kty, n, e, kid, alg: "RS256", use: "sig" };
}
