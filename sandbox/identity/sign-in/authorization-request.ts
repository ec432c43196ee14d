import { randomBytes } from "node:crypto";
import type { Pool } from "pg";
import { isMalformed } from "../context.ts";
import type { Provider } from "../endpoints.ts";

/** What the product sends a browser with (RFC 6749 §4.1.1, RFC 7636 §4.3, OpenID Connect Core §3.1.2.1). */
export interface AuthorizationRequest {
  clientId: string;
  redirectUri: string;
  scope: string;
  state: string | null;
  nonce: string | null;
  codeChallenge: string | null;
}

export function readAuthorizationRequest(params: URLSearchParams): AuthorizationRequest {
  return {
    clientId: params.get("client_id") ?? "",
    redirectUri: params.get("redirect_uri") ?? "",
    scope: params.get("scope") ?? "",
    state: params.get("state"),
    nonce: params.get("nonce"),
    codeChallenge: params.get("code_challenge"),
  };
}

/** An error that is shown to the person instead of being sent back, because the sender cannot be trusted yet. */
export interface AuthorizationError {
  status: 400 | 401;
  error: string;
  description: string;
}

/**
 * Why no browser may be redirected to an address, or `null`. The address must be written as a browser would write it:
 * then no dots, user names, backslashes or encodings can make it lead elsewhere than it seems to.
 */
export function findRedirectError(redirectUri: string, redirectPrefix: string): AuthorizationError | null {
  const isOurs =
    redirectUri.startsWith(redirectPrefix) &&
    URL.parse(redirectUri)?.href === redirectUri &&
    !redirectUri.includes("#");
  const description = `redirect_uri must be an address below ${redirectPrefix}`;
  return isOurs ? null : { status: 400, error: "redirect_uri_mismatch", description };
}

/**
 * The first thing that is wrong with a request. Google requires PKCE and the scope `openid` here; Facebook neither.
 *
 * @param clientId `undefined` when the product has no client at this provider
 */
export function findRequestError(
  provider: Provider,
  params: URLSearchParams,
  clientId: string | undefined,
): AuthorizationError | null {
  const scopes = (params.get("scope") ?? "").split(/[ ,]+/);
  const isGoogle = provider === "google";
  if (isMalformed(params)) return invalid("invalid_request", "a parameter is repeated or unreadable");
  if (params.get("client_id") !== clientId)
    return { status: 401, error: "invalid_client", description: "the OAuth client was not found" };
  if ((params.get("response_type") ?? (isGoogle ? "" : "code")) !== "code")
    return invalid("unsupported_response_type", "response_type must be code");
  if (isGoogle && !scopes.includes("openid")) return invalid("invalid_scope", "scope must contain openid");
  const unknownScope = scopes.find((scope) => !["", "email", "public_profile"].includes(scope));
  if (!isGoogle && unknownScope)
    return invalid("invalid_scope", "scope may contain email and public_profile");
  const usesPkce = isGoogle || params.has("code_challenge") || params.has("code_challenge_method");
  const isS256 =
    params.get("code_challenge_method") === "S256" && /^[\w-]{43}$/.test(params.get("code_challenge") ?? "");
  if (usesPkce && !isS256)
    return invalid("invalid_request", "code_challenge must be there, and its method S256");
  return null;
}

function invalid(error: string, description: string): AuthorizationError {
  return { status: 400, error, description };
}

/** Saves a request for the hour in which its person can choose. @returns its id */
export async function saveRequest(
  pool: Pool,
  provider: Provider,
  request: AuthorizationRequest,
): Promise<string> {
  const id = randomBytes(16).toString("base64url");
  await pool.query("DELETE FROM sandbox_identity.requests WHERE created_at < now() - interval '1 hour'");
  await pool.query("INSERT INTO sandbox_identity.requests (id, provider, request) VALUES ($1, $2, $3)", [
    id,
    provider,
    JSON.stringify(request),
  ]);
  return id;
}

/** It is not deleted: a person who comes back to the page may choose again, as at Google. */
export async function findRequest(
  pool: Pool,
  provider: Provider,
  id: string,
): Promise<AuthorizationRequest | undefined> {
  const { rows } = await pool.query<{ request: AuthorizationRequest }>(
    `SELECT request FROM sandbox_identity.requests
     WHERE id = $1 AND provider = $2 AND created_at >= now() - interval '1 hour'`,
    [id, provider],
  );
  return rows[0]?.request;
}
