import { pageResponse } from "../web.ts";
import { CHECKBOXES, chooserResponse, errorPage, expiredPage } from "./chooser-page.ts";
import { type Context, isMalformed, type Provider, readForm } from "./identity.ts";
import { findKept, keep } from "./kept.ts";
import { accountOf, isEmailAddress, PEOPLE, type Person, personAt } from "./people.ts";

/** The parameters of an authorization request (RFC 6749 §4.1.1, RFC 7636 §4.3, OpenID Connect Core §3.1.2.1). */
export type AuthorizationRequest = Record<string, string | undefined>;

/** An error shown to the person instead of being sent back, because the sender cannot be trusted yet. */
export interface AuthorizationError {
  status: 400 | 401;
  error: string;
  description: string;
}

/**
 * Why no browser may be redirected to an address, or `null`. The address must be spelled as a browser would: then dots, user
 * names, backslashes and encodings cannot make it lead elsewhere than it seems to.
 */
function findRedirectError(redirectUri: string, redirectPrefix: string): AuthorizationError | null {
  const isOurs =
    redirectUri.startsWith(redirectPrefix) &&
    URL.parse(redirectUri)?.href === redirectUri &&
    !redirectUri.includes("#");
  return isOurs
    ? null
    : invalid("redirect_uri_mismatch", `redirect_uri must be an address below ${redirectPrefix}`);
}

/** The first error in a request. Google requires PKCE and the scope `openid` here; Facebook neither. */
function findRequestError(
  provider: Provider,
  request: AuthorizationRequest,
  { url, clients }: Context,
): AuthorizationError | null {
  const { client_id, response_type, scope = "", code_challenge, code_challenge_method } = request;
  const scopes = scope.split(/[ ,]+/);
  const isGoogle = provider === "google";
  if (isMalformed(url.searchParams))
    return invalid("invalid_request", "a parameter is repeated or unreadable");
  if (!client_id || client_id !== clients[provider]?.clientId)
    return { status: 401, error: "invalid_client", description: "the OAuth client was not found" };
  if ((response_type ?? (isGoogle ? "" : "code")) !== "code")
    return invalid("unsupported_response_type", "response_type must be code");
  if (isGoogle && !scopes.includes("openid")) return invalid("invalid_scope", "scope must contain openid");
  const unknownScope = scopes.find((scope) => !["", "email", "public_profile"].includes(scope));
  if (!isGoogle && unknownScope)
    return invalid("invalid_scope", "scope may contain email and public_profile");
  const usesPkce = isGoogle || code_challenge !== undefined || code_challenge_method !== undefined;
  const isS256 = code_challenge_method === "S256" && /^[\w-]{43}$/.test(code_challenge ?? "");
  if (usesPkce && !isS256)
    return invalid("invalid_request", "code_challenge must be there, and its method S256");
  return null;
}

function invalid(error: string, description: string): AuthorizationError {
  return { status: 400, error, description };
}

/** How long a person can choose, and come back to choose again, in seconds. */
const REQUEST_SECONDS = 3600;
/** How long a code can be redeemed, once, in seconds. */
const CODE_SECONDS = 600;

/** The authorization endpoint: shows the account chooser for the product's request. */
export async function authorize(provider: Provider, context: Context): Promise<Response> {
  const { url, knobs, pool, redirectPrefix } = context;
  const request: AuthorizationRequest = Object.fromEntries(url.searchParams);
  const redirectError = findRedirectError(request.redirect_uri ?? "", redirectPrefix);
  // First, because not even an error may go to a foreign address (RFC 6749 §4.1.2.1).
  if (redirectError) return pageResponse(redirectError.status, errorPage(provider, redirectError));
  if (knobs.authorize_error) return redirectBack(provider, request, { error: knobs.authorize_error });
  const error = findRequestError(provider, request, context);
  if (error) return pageResponse(error.status, errorPage(provider, error));
  if (knobs.denial) return redirectDenied(provider, request);
  const id = await keep(pool, "request", provider, request, REQUEST_SECONDS);
  return chooserResponse(provider, id, context);
}

async function signIn(provider: Provider, request: AuthorizationRequest, person: Person, context: Context) {
  const account = accountOf(provider, person, request.scope ?? "", context);
  const code = await keep(context.pool, "code", provider, { request, account }, CODE_SECONDS);
  context.log(`Identity sandbox: ${provider} issued a code`);
  return redirectBack(provider, request, { code });
}

function redirectDenied(provider: Provider, request: AuthorizationRequest): Response {
  const details = { error_code: "200", error_description: "Permissions error", error_reason: "user_denied" };
  return redirectBack(provider, request, { error: "access_denied", ...(provider === "facebook" && details) });
}

function redirectBack(
  provider: Provider,
  { redirect_uri = "", state }: AuthorizationRequest,
  params: Record<string, string>,
): Response {
  const url = new URL(redirect_uri);
  for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value);
  if (state !== undefined) url.searchParams.set("state", state);
  // As Facebook does, which would otherwise carry its own page's fragment along.
  if (provider === "facebook") url.hash = "_=_";
  return new Response(null, { status: 303, headers: { location: url.href, "cache-control": "no-store" } });
}

/** Handles the account chooser's buttons: a person, "Continue" for another address, or "Cancel". */
export async function choose(provider: Provider, context: Context): Promise<Response> {
  const form = await readForm(context.request);
  const id = isMalformed(form) ? "" : (form.get("request") ?? "");
  const request = await findKept(context.pool, "request", provider, id);
  if (!request) return pageResponse(410, expiredPage(provider));
  const choice = form.get("choice");
  if (choice === "cancel") return redirectDenied(provider, request);
  const known = PEOPLE[provider].find(({ email }) => email === choice);
  if (known) return signIn(provider, request, known, context);
  const email = foldAddress(form.get("email")?.slice(0, 1000) ?? "");
  const isChecked = form.has(CHECKBOXES[provider].name);
  if (!isEmailAddress(email)) return chooserResponse(provider, id, context, { email, isChecked });
  return signIn(provider, request, otherPerson(provider, email, isChecked), context);
}

/** A person with the typed address; the checkbox below it makes them unusual. */
function otherPerson(provider: Provider, email: string, isChecked: boolean): Person {
  const person = personAt(provider, email);
  return provider === "google" ? { ...person, isVerified: isChecked } : { ...person, sharesEmail: isChecked };
}

/** Normalizes a pasted address as providers do: no invisible characters, NFKC, the domain as A-labels (IDNA). */
function foldAddress(typed: string): string {
  const address = typed
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "")
    .normalize("NFKC")
    .trim();
  const at = address.lastIndexOf("@");
  const domain = URL.parse(`http://${address.slice(at + 1)}`)?.hostname;
  return at > 0 && domain && /[^\0-\x7f]/.test(address.slice(at + 1))
    ? address.slice(0, at + 1) + domain
    : address;
}
