import {
  calculateJwkThumbprint,
  exportJWK,
  exportSPKI,
  generateKeyPair,
  importJWK,
  type JWK_RSA_Private,
  type JWTPayload,
  SignJWT,
  UnsecuredJWT,
} from "jose";
import type { Pool } from "pg";
import type { Context, OAuthClient } from "./identity.ts";
import type { Grant } from "./kept.ts";
import type { Knobs } from "./knobs.ts";

/** An RSA key as stored (RFC 7517). */
type SigningKey = JWK_RSA_Private & { kid: string };

/** Generates a key without storing it; its id is its thumbprint (RFC 7638). */
async function makeSigningKey(): Promise<SigningKey> {
  const { privateKey } = await generateKeyPair("RS256", { extractable: true });
  const jwk = (await exportJWK(privateKey)) as JWK_RSA_Private;
  return { ...jwk, kid: await calculateJwkThumbprint(jwk) };
}

/** The key that signs, created by the first call; of concurrent processes one creates it. */
export async function signingKey(pool: Pool): Promise<SigningKey> {
  const { rows } = await pool.query<{ private_jwk: SigningKey }>(
    "SELECT private_jwk FROM sandbox_identity.signing_keys ORDER BY number DESC LIMIT 1",
  );
  if (rows[0]) return rows[0].private_jwk;
  const key = JSON.stringify(await makeSigningKey());
  await pool.query("INSERT INTO sandbox_identity.signing_keys VALUES (1, $1) ON CONFLICT DO NOTHING", [key]);
  return signingKey(pool);
}

export function publicPart({ kty, n, e, kid }: SigningKey) {
  return { kty, n, e, kid, alg: "RS256", use: "sig" };
}

const ID_TOKEN_SECONDS = 3600;

/** Google's ID token after a sign-in (OpenID Connect Core §2), or a forgery of it. */
export async function signIdToken(grant: Grant, client: OAuthClient, context: Context): Promise<string> {
  const key = await signingKey(context.pool);
  return sign(claimsOf(grant, context), key, client, context.knobs);
}

function claimsOf({ request, account }: Grant, { knobs, endpoints }: Context): JWTPayload {
  const { issuer } = endpoints.google;
  const now = Math.floor(Date.now() / 1000);
  const issuedAt = knobs.expired ? now - 2 * ID_TOKEN_SECONDS : now;
  return {
    iss: knobs.issuer === "right" ? issuer : `${issuer}-of-somebody-else`,
    aud: knobs.audience === "right" ? request.client_id : "somebody-else",
    azp: request.client_id,
    ...account,
    ...(knobs.hosted_domain && hostedDomainOf(account)),
    ...nonceOf(request.nonce, knobs.nonce),
    iat: issuedAt,
    exp: issuedAt + ID_TOKEN_SECONDS,
  };
}

/** Google names the organization whose addresses it hosts. It does not know the current owner of other addresses. */
function hostedDomainOf({ email, email_verified: isVerified }: Grant["account"]): { hd?: string } {
  const [, domain] = email?.split("@") ?? [];
  return domain && isVerified && domain !== "gmail.com" ? { hd: domain } : {};
}

function nonceOf(asked: string | undefined, knob: Knobs["nonce"]): { nonce?: string } {
  if (asked === undefined || knob === "missing") return {};
  return { nonce: knob === "right" ? asked : `${asked}-of-somebody-else` };
}

async function sign(claims: JWTPayload, key: SigningKey, { clientSecret }: OAuthClient, knobs: Knobs) {
  switch (knobs.alg) {
    case "RS256":
      return signWithRsa(claims, key);
    case "unknown_key":
      return signWithRsa(claims, await makeSigningKey());
    case "none":
      return new UnsecuredJWT(claims).encode();
    // Attacks clients that let the token choose its verification: the public key becomes the secret (RFC 8725 §2.1).
    case "HS256":
      return signWithSecret(claims, key, await publicPem(key));
    case "HS256_secret":
      return signWithSecret(claims, key, clientSecret);
  }
}

function signWithRsa(claims: JWTPayload, key: SigningKey): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: key.kid, typ: "JWT" }).sign(key);
}

function signWithSecret(claims: JWTPayload, { kid }: SigningKey, secret: string): Promise<string> {
  return new SignJWT(claims)
    .setProtectedHeader({ alg: "HS256", kid, typ: "JWT" })
    .sign(new TextEncoder().encode(secret));
}

async function publicPem(key: SigningKey): Promise<string> {
  const imported = await importJWK(publicPart(key), "RS256", { extractable: true });
  if (imported instanceof Uint8Array) throw new Error("An RSA key is never plain bytes");
  return exportSPKI(imported);
}
