import { exportSPKI, importJWK, type JWTPayload, SignJWT, UnsecuredJWT } from "jose";
import type { Grant } from "../codes.ts";
import type { Call } from "../context.ts";
import type { Knobs } from "../control.ts";
import { listSigningKeys, makeSigningKey, publicPart, type SigningKey } from "./signing-keys.ts";

/** How long an ID token is good for, in seconds. */
const ID_TOKEN_SECONDS = 3600;

/** What Google says about somebody who has just signed in (OpenID Connect Core §2), or a forgery of it. */
export async function signIdToken(grant: Grant, call: Call): Promise<string> {
  const [key] = await listSigningKeys(call.pool);
  if (!key) throw new Error("There is always a signing key");
  return sign(claimsOf(grant, call), key, call);
}

function claimsOf({ request, account }: Grant, { knobs, endpoints }: Call): JWTPayload {
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

/** Google names the organisation whose addresses it keeps, and knows of no other address whether it is still theirs. */
function hostedDomainOf({ email, email_verified: isVerified }: Grant["account"]): { hd?: string } {
  const [, domain] = email?.split("@") ?? [];
  return domain && isVerified && domain !== "gmail.com" ? { hd: domain } : {};
}

function nonceOf(asked: string | null, knob: Knobs["nonce"]): { nonce?: string } {
  if (asked === null || knob === "missing") return {};
  return { nonce: knob === "right" ? asked : `${asked}-of-somebody-else` };
}

async function sign(claims: JWTPayload, key: SigningKey, { knobs, clients }: Call): Promise<string> {
  switch (knobs.alg) {
    case "RS256":
      return signWithRsa(claims, key);
    case "unknown_key":
      return signWithRsa(claims, await makeSigningKey());
    case "none":
      return new UnsecuredJWT(claims).encode();
    // Takes in whoever lets the token say how it is verified: the key everybody knows becomes the secret (RFC 8725 §2.1).
    case "HS256":
      return signWithSecret(claims, key, await publicPem(key));
    case "HS256_secret":
      return signWithSecret(claims, key, clients.google.clientSecret);
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

/** A public key as it lies about in files. */
async function publicPem(key: SigningKey): Promise<string> {
  const imported = await importJWK(publicPart(key), "RS256", { extractable: true });
  if (imported instanceof Uint8Array) throw new Error("An RSA key is never plain bytes");
  return exportSPKI(imported);
}
