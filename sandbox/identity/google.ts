import { jsonResponse } from "../web.ts";
import { type Context, isMalformed, readForm } from "./identity.ts";
import { applyTokenKnobs } from "./knobs.ts";
import {
  bearerToken,
  findAccount,
  isBoundTo,
  issueAccessToken,
  publicPart,
  redeemCode,
  signIdToken,
  signingKey,
} from "./tokens.ts";

/** OpenID Connect Discovery 1.0 §3. */
export async function describeGoogle({ endpoints, loopback }: Context): Promise<Response> {
  const { issuer, authorizationEndpoint, tokenEndpoint, jwksUri } = endpoints.google;
  return jsonResponse(200, {
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

/** How long an access token is valid, in seconds, as Google counts. */
const ACCESS_SECONDS = 3599;

/** Google's token endpoint: exchanges a code for an ID token. Its errors are those of RFC 6749 §5.2. */
export async function exchangeGoogleCode(context: Context): Promise<Response> {
  const { request, pool, clients, log } = context;
  const form = await readForm(request);
  return applyTokenKnobs(context, { invalid_client: invalidClient, invalid_grant: invalidGrant }, exchange);

  async function exchange(): Promise<Response> {
    if (isMalformed(form)) return oauthError("invalid_request", "A parameter is repeated or unreadable.");
    const credentials = readCredentials(request, form);
    if (!credentials) return oauthError("invalid_request", "The client must identify itself in one way.");
    const client = clients.google;
    if (credentials.id !== client?.clientId || credentials.secret !== client.clientSecret)
      return invalidClient();
    if (!form.has("grant_type"))
      return oauthError("invalid_request", "Missing required parameter: grant_type");
    if (form.get("grant_type") !== "authorization_code")
      return oauthError("unsupported_grant_type", "Invalid grant_type.");
    const code = form.get("code");
    if (!code) return oauthError("invalid_request", "Missing required parameter: code");
    const grant = await redeemCode(pool, "google", code);
    if (!grant || !isBoundTo(grant, form, client.clientId)) return invalidGrant();
    log("Identity sandbox: google exchanged a code");
    return jsonResponse(200, {
      access_token: await issueAccessToken(pool, "google", grant.account, ACCESS_SECONDS),
      expires_in: ACCESS_SECONDS,
      scope: grant.request.scope,
      token_type: "Bearer",
      id_token: await signIdToken(grant, client, context),
    });
  }

  function invalidClient(): Response {
    log("Identity sandbox: google rejected a client");
    const body = { error: "invalid_client", error_description: "Unauthorized" };
    // Only for a client that tried the header (RFC 6749 §5.2).
    const usedHeader = request.headers.has("authorization");
    return jsonResponse(401, body, usedHeader ? { "www-authenticate": 'Basic realm="google"' } : {});
  }

  function invalidGrant(): Response {
    log("Identity sandbox: google rejected a code");
    return oauthError("invalid_grant", "Bad Request");
  }
}

/**
 * The client's id and secret: client_secret_basic or client_secret_post (RFC 6749 §2.3.1).
 *
 * @returns `null` when both are used at once, or the header cannot be read
 */
function readCredentials(request: Request, form: URLSearchParams): { id: string; secret: string } | null {
  const header = request.headers.get("authorization");
  if (header === null) return { id: form.get("client_id") ?? "", secret: form.get("client_secret") ?? "" };
  if (form.has("client_secret")) return null;
  const encoded = /^Basic +([\w+/=-]+) *$/i.exec(header)?.[1];
  const [id, secret, ...more] = encoded ? Buffer.from(encoded, "base64").toString().split(":") : [];
  return id === undefined || secret === undefined || more.length > 0
    ? null
    : { id: formDecoded(id), secret: formDecoded(secret) };
}

function formDecoded(text: string): string {
  return new URLSearchParams(`value=${text.replaceAll("&", "%26")}`).get("value") ?? "";
}

function oauthError(error: string, description: string): Response {
  return jsonResponse(400, { error, error_description: description });
}

/** The keys ID tokens are verified with (RFC 7517 §5). */
export async function listGoogleKeys({ pool }: Context): Promise<Response> {
  return jsonResponse(200, { keys: [publicPart(await signingKey(pool))] });
}

/** OpenID Connect Core §5.3. */
export async function showGoogleUserinfo({ request, pool }: Context): Promise<Response> {
  const account = await findAccount(pool, "google", bearerToken(request));
  if (account) return jsonResponse(200, account);
  const body = { error: "invalid_token", error_description: "Invalid Credentials" };
  return jsonResponse(401, body, { "www-authenticate": 'Bearer error="invalid_token"' });
}
