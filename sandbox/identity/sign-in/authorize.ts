import { pageResponse } from "../../page/responses.ts";
import type { Context } from "../context.ts";
import type { Provider } from "../endpoints.ts";
import { accountOf, type Person, personAt } from "../people.ts";
import {
  type AuthorizationRequest,
  findRedirectError,
  findRequestError,
  readAuthorizationRequest,
  saveRequest,
} from "./authorization-request.ts";
import { chooserResponse, errorPage } from "./chooser-page.ts";
import { issueCode } from "./codes.ts";

/** The authorization endpoint: a browser comes with the product's request and is shown the account chooser. */
export async function authorize(provider: Provider, context: Context): Promise<Response> {
  const { url, knobs, pool, redirectPrefix, clients } = context;
  const request = readAuthorizationRequest(url.searchParams);
  const redirectError = findRedirectError(request.redirectUri, redirectPrefix);
  // First of all: nothing is sent to an address that is not ours, errors included (RFC 6749 §4.1.2.1).
  if (redirectError) return pageResponse(redirectError.status, errorPage(provider, redirectError));
  if (knobs.authorize_error) return redirectBack(provider, request, { error: knobs.authorize_error });
  const error = findRequestError(provider, url.searchParams, clients[provider]?.clientId);
  if (error) return pageResponse(error.status, errorPage(provider, error));
  if (knobs.denial) return redirectDenied(provider, request);
  if (knobs.choose) return signIn(provider, request, personAt(provider, knobs.choose), context);
  return chooserResponse(provider, await saveRequest(pool, provider, request), context);
}

/** Redirects the browser back with a code for this person. */
export async function signIn(
  provider: Provider,
  request: AuthorizationRequest,
  person: Person,
  context: Context,
): Promise<Response> {
  const account = accountOf(provider, person, request.scope, context);
  const code = await issueCode(context.pool, provider, { request, account });
  context.log(`Identity sandbox: ${provider} issued a code`);
  return redirectBack(provider, request, { code });
}

/** Redirects the browser back when its person cancels. */
export function redirectDenied(provider: Provider, request: AuthorizationRequest): Response {
  const details = { error_code: "200", error_description: "Permissions error", error_reason: "user_denied" };
  return redirectBack(provider, request, { error: "access_denied", ...(provider === "facebook" && details) });
}

function redirectBack(
  provider: Provider,
  { redirectUri, state }: AuthorizationRequest,
  params: Record<string, string>,
): Response {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value);
  if (state !== null) url.searchParams.set("state", state);
  // As Facebook does, lest the fragment of its own page comes along.
  if (provider === "facebook") url.hash = "_=_";
  return new Response(null, { status: 303, headers: { location: url.href, "cache-control": "no-store" } });
}
