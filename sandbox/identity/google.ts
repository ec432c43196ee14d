import { randomBytes } from "node:crypto";
import { jsonResponse } from "../web.ts";
import { type Context, isMalformed, readForm } from "./identity.ts";
import { redeemCode } from "./kept.ts";
import { answerTokenRequest } from "./knobs.ts";
import { publicPart, signIdToken, signingKey } from "./tokens.ts";

/** OpenID Connect Discovery 1.0 §3. */
export async function describeGoogle({ endpoints }: Context): Promise<Response> {
  const { issuer, authorizationEndpoint, tokenEndpoint, jwksUri } = endpoints.google;
  return jsonResponse(200, {
    issuer,
    authorization_endpoint: authorizationEndpoint,
    token_endpoint: tokenEndpoint,
    jwks_uri: jwksUri,
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["RS256"],
    scopes_supported: ["openid", "email", "profile"],
    token_endpoint_auth_methods_supported: ["client_secret_post"],
    code_challenge_methods_supported: ["S256"],
    claims_supported: [
      ...["iss", "aud", "azp", "sub", "iat", "exp", "nonce"],
      ...["email", "email_verified", "hd", "name", "picture"],
    ],
  });
}

/** How long an access token is valid, in seconds, as Google counts. */
const ACCESS_SECONDS = 3599;

/** Google's token endpoint: exchanges a code for an ID token. Its errors are those of RFC 6749 §5.2. */
export async function exchangeGoogleCode(context: Context): Promise<Response> {
  const { request, pool, clients } = context;
  const form = await readForm(request);
  const errors = { invalid_client: invalidClient, invalid_grant: invalidGrant };
  return answerTokenRequest("google", context, errors, async () => {
    if (isMalformed(form)) return oauthError("invalid_request", "A parameter is repeated or unreadable.");
    const client = clients.google;
    if (form.get("client_id") !== client?.clientId || form.get("client_secret") !== client?.clientSecret)
      return invalidClient();
    if (!form.has("grant_type"))
      return oauthError("invalid_request", "Missing required parameter: grant_type");
    if (form.get("grant_type") !== "authorization_code")
      return oauthError("unsupported_grant_type", "Invalid grant_type.");
    if (!form.get("code")) return oauthError("invalid_request", "Missing required parameter: code");
    const grant = await redeemCode(pool, "google", form);
    if (!grant) return invalidGrant();
    return jsonResponse(200, {
      // Opens nothing here: the ID token has everything.
      access_token: randomBytes(32).toString("base64url"),
      expires_in: ACCESS_SECONDS,
      scope: grant.request.scope,
      token_type: "Bearer",
      id_token: await signIdToken(grant, client, context),
    });
  });
}

const invalidClient = () => jsonResponse(401, { error: "invalid_client", error_description: "Unauthorized" });
const invalidGrant = () => oauthError("invalid_grant", "Bad Request");

function oauthError(error: string, description: string): Response {
  return jsonResponse(400, { error, error_description: description });
}

/** The keys ID tokens are verified with (RFC 7517 §5). */
export async function listGoogleKeys({ pool }: Context): Promise<Response> {
  return jsonResponse(200, { keys: [publicPart(await signingKey(pool))] });
}
