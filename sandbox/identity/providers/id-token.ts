import { exportSPKI, importJWK, type JWTPayload, SignJWT, UnsecuredJWT } from "jose";
import type { Context } from "../context.ts";
import type { OAuthClient } from "../endpoints.ts";
import type { Knobs } from "../knobs.ts";
import type { Grant } from "../sign-in/codes.ts";
import { listSigningKeys, makeSigningKey, publicPart, type SigningKey } from "./signing-keys.ts";

/** How long an ID token is valid, in seconds. */
const ID_TOKEN_SECONDS = 3600;

/** What Google says about somebody who has just signed in (OpenID Connect Core §2), or a forgery of it. */
export async function signIdToken(grant: Grant, client: OAuthClient, context: Context): Promise<string> {
  const [key] = await listSigningKeys(context.pool);
  if (!key) throw new Error("There is always a signing key");
  return sign(claimsOf(grant, context), key, client, context.knobs);
}

function claimsOf({ request, account }: Grant, { knobs, endpoints }: Context): JWTPayload {
  const { issuer } = endpoints.google;
  const now = Math.floor(Date.now() / 1000);
  const issuedAt = knobs.expired ? now - 2 * ID_TOKEN_SECONDS : now;
  return {
    iss: knobs.issuer === "right" ? issuer : `${issuer}-of-somebody-else`,
    aud: knobs.audience === "right" ? request.clientId : "somebody-else",
    azp: request.clientId,
    ...account,
    ...(knobs.hosted_domain && hostedDomainOf(account)),
    ...nonceOf(request.nonce, knobs.nonce),
    iat: issuedAt,
    exp: issuedAt + ID_TOKEN_SECONDS,
  };
}

/** Google names the organisation whose addresses it hosts; of any other address it cannot tell whose it is now. */
function hostedDomainOf({ email, email_verified: isVerified }: Grant["account"]): { hd?: string } {
  const [, domain] = email?.split("@") ?? [];
  return domain && isVerified && domain !== "gmail.com" ? { hd: domain } : {};
}

function nonceOf(asked: string | null, knob: Knobs["nonce"]): { nonce?: string } {
  if (asked === null || knob === "missing") return {};
  return { nonce: knob === "right" ? asked : `${asked}-of-somebody-else` };
}

async function sign(
  claims: JWTPayload,
  key: SigningKey,
  { clientSecret }: OAuthClient,
  knobs: Knobs,
): Promise<string> {
  switch (knobs.alg) {
    case "RS256":
      return signWithRsa(claims, key);
    case "unknown_key":
      return signWithRsa(claims, await makeSigningKey());
    case "none":
      return new UnsecuredJWT(claims).encode();
    // Fools a client that lets the token choose how it is verified: the public key becomes the secret (RFC 8725 §2.1).
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

/** A public key in the form files hold it. */
async function publicPem(key: SigningKey): Promise<string> {
  const imported = await importJWK(publicPart(key), "RS256", { extractable: true });
  if (imported instanceof Uint8Array) throw new Error("An RSA key is never plain bytes");
  return exportSPKI(imported);
}
