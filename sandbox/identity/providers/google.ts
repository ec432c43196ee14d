import { bearerToken, findAccount } from "../access-tokens.ts";
import { json } from "../answer.ts";
import type { Call } from "../context.ts";
import { listSigningKeys, publicPart } from "./signing-keys.ts";

/** OpenID Connect Discovery 1.0 §3. */
export async function describeGoogle({ endpoints, loopback }: Call): Promise<Response> {
  const { issuer, authorizationEndpoint, tokenEndpoint, jwksUri } = endpoints.google;
  return json(200, {
    issuer,
    authorization_endpoint: authorizationEndpoint,
    token_endpoint: tokenEndpoint,
    userinfo_endpoint: `${loopback}/sandbox/identity/google/userinfo`,
    jwks_uri: jwksUri,
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["RS256"],
    scopes_supported: ["openid", "email", "profile"],
    token_endpoint_auth_methods_supported: ["client_secret_post", "client_secret_basic"],
    code_challenge_methods_supported: ["S256"],
    claims_supported: [
      ...["iss", "aud", "azp", "sub", "iat", "exp", "nonce"],
      ...["email", "email_verified", "hd", "name", "picture"],
    ],
  });
}

/** The keys ID tokens can be verified with (RFC 7517 §5). */
export async function listGoogleKeys({ pool }: Call): Promise<Response> {
  return json(200, { keys: (await listSigningKeys(pool)).map(publicPart) });
}

/** OpenID Connect Core §5.3. */
export async function answerGoogleUserinfo({ request, pool }: Call): Promise<Response> {
  const account = await findAccount(pool, "google", bearerToken(request));
  if (account) return json(200, account);
  const body = { error: "invalid_token", error_description: "Invalid Credentials" };
  return json(401, body, { "www-authenticate": 'Bearer error="invalid_token"' });
}
