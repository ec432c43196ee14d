import type { Face } from "../clients.ts";
import { isAmbiguous } from "../read-form.ts";

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

/** A fault that is shown to the person, because whoever sent them may not be whom they seem. */
export interface Fault {
  status: 400 | 401;
  error: string;
  why: string;
}

/**
 * Why nobody may be sent back to an address, if so. It must be written as a browser would write it: then no dots, user
 * names, backslashes or encodings can make it lead elsewhere than it seems to.
 */
export function findRedirectFault(redirectUri: string, publicOrigin: string): Fault | null {
  const isOurs =
    redirectUri.startsWith(`${publicOrigin}/auth/callback/`) &&
    URL.parse(redirectUri)?.href === redirectUri &&
    !redirectUri.includes("#");
  return isOurs
    ? null
    : fault(
        400,
        "redirect_uri_mismatch",
        `redirect_uri must be an address below ${publicOrigin}/auth/callback/`,
      );
}

/** The first thing that is wrong with a request. Google requires PKCE and openid here; Facebook takes less. */
export function findFault(face: Face, params: URLSearchParams, clientId: string): Fault | null {
  const scopes = (params.get("scope") ?? "").split(/[ ,]+/);
  const isGoogle = face === "google";
  if (isAmbiguous(params)) return fault(400, "invalid_request", "a parameter is repeated or unreadable");
  if (params.get("client_id") !== clientId)
    return fault(401, "invalid_client", "the OAuth client was not found");
  if ((params.get("response_type") ?? (isGoogle ? "" : "code")) !== "code")
    return fault(400, "unsupported_response_type", "response_type must be code");
  if (isGoogle && !scopes.includes("openid")) return fault(400, "invalid_scope", "scope must contain openid");
  const stranger = scopes.find((scope) => !["", "email", "public_profile"].includes(scope));
  if (!isGoogle && stranger) return fault(400, "invalid_scope", "scope may contain email and public_profile");
  const isChallenged = isGoogle || params.has("code_challenge") || params.has("code_challenge_method");
  const isS256 =
    params.get("code_challenge_method") === "S256" && /^[\w-]{43}$/.test(params.get("code_challenge") ?? "");
  if (isChallenged && !isS256)
    return fault(400, "invalid_request", "code_challenge must be there, and its method S256");
  return null;
}

function fault(status: Fault["status"], error: string, why: string): Fault {
  return { status, error, why };
}
