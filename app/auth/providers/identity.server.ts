import { createHmac } from "node:crypto";
import {
  AuthorizationResponseError,
  authorizationCodeGrant,
  ClientError,
  fetchProtectedResource,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from "openid-client";
import { ZodError, z } from "zod";
import type { App } from "../../http/context.server.ts";
import { emailAddress, nameFromAddress, personName } from "../person-fields.server.ts";
import type { ConnectedProvider } from "./connect.server.ts";
import { callbackUrl, type Flow } from "./flow.server.ts";
import type { Provider } from "./providers.ts";
import type { SignInError } from "./sign-in-errors.ts";

export interface Identity {
  provider: Provider;
  /** Never changes. */
  accountId: string;
  /** `null`: missing or invalid. */
  email: string | null;
  /** Google's word may count, Facebook's never does. */
  isEmailVerified: boolean;
  name: string;
  image: string | null;
}

/** @param query of the redirect back */
export async function askProvider(
  app: Pick<App, "config" | "log" | "providers">,
  flow: Flow,
  query: URLSearchParams,
): Promise<Identity | SignInError> {
  const connection = app.providers[flow.provider];
  if (!connection.isOn) return "provider-off";
  const callback = new URL(`?${query}`, callbackUrl(app.config.publicOrigin, flow.provider));
  try {
    return await fetchIdentity(connection, flow, callback);
  } catch (thrown) {
    const error = await signInErrorOf(thrown);
    // Only codes: the provider's text may hold a token or an address.
    const code = thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
    if (error !== "access-denied")
      app.log.warn(
        { provider: flow.provider, problem: error, code },
        "a provider did not say whose account it is",
      );
    return error;
  }
}

/** Verifies the ID token (OpenID Connect Core §3.1.3.7). @throws what openid-client throws; Facebook's refusal */
async function fetchIdentity(connection: ConnectedProvider, flow: Flow, callback: URL): Promise<Identity> {
  const isOpenId = flow.provider === "google";
  const tokens = await authorizationCodeGrant(connection.client, callback, {
    expectedState: callback.searchParams.get("state") ?? "",
    pkceCodeVerifier: flow.codeVerifier,
    ...(isOpenId && { expectedNonce: flow.nonce, idTokenExpected: true }),
  });
  return isOpenId
    ? fromGoogle(tokens.claims() ?? {})
    : fromFacebook(await fetchFacebookProfile(connection, tokens.access_token));
}

/** https://developers.facebook.com/docs/graph-api/reference/user, signed so that a stolen token is of no use. */
async function fetchFacebookProfile(connection: ConnectedProvider, accessToken: string): Promise<unknown> {
  const url = new URL(connection.profileEndpoint ?? "");
  url.searchParams.set("fields", "id,name,email");
  const proof = createHmac("sha256", connection.clientSecret).update(accessToken).digest("hex");
  url.searchParams.set("appsecret_proof", proof);
  const answer = await fetchProtectedResource(connection.client, accessToken, url, "GET");
  if (!answer.ok) throw answer;
  return answer.json();
}

const orNull = <T extends z.ZodType>(type: T) => type.nullable().catch(null);
const name = orNull(personName);
const email = orNull(emailAddress.transform((address) => address.toLowerCase()));

const googleClaims = z.object({
  sub: z.string().regex(/^\P{Cc}{1,255}$/u),
  email,
  /** Set when Google hosts the address's domain. */
  hd: orNull(z.string().min(1)),
  email_verified: z.union([z.boolean(), z.literal("true").transform(() => true)]).catch(false),
  name,
  picture: orNull(z.url({ protocol: /^https$/ }).max(2000)),
});

function fromGoogle(claims: object): Identity {
  const { sub, email, email_verified, hd, name, picture } = googleClaims.parse(claims);
  // Google verified other addresses only once, in the past.
  const isGooglesOwn = hd !== null || /@(gmail|googlemail)\.com$/.test(email ?? "");
  return {
    provider: "google",
    accountId: sub,
    email,
    isEmailVerified: email !== null && email_verified && isGooglesOwn,
    name: name ?? nameFromAddress(email ?? ""),
    image: picture,
  };
}

const facebookProfile = z.object({ id: z.string().regex(/^\d{1,32}$/), email, name });

function fromFacebook(profile: unknown): Identity {
  const { id, email, name } = facebookProfile.parse(profile);
  return {
    provider: "facebook",
    accountId: id,
    email,
    isEmailVerified: false,
    name: name ?? nameFromAddress(email ?? ""),
    // Facebook's picture URLs expire after some weeks.
    image: null,
  };
}

/** Our client id or secret is refused (RFC 6749 §4.1.2.1 and §5.2). */
const REFUSED_CLIENT = new Set<unknown>(["invalid_client", "unauthorized_client"]);
/** In the Graph API: an unknown application, and a wrong secret. */
const REFUSED_APPLICATION = new Set<unknown>([101, 1]);
const AWAY = new Set<unknown>(["server_error", "temporarily_unavailable"]);

/** @throws errors that are bugs of ours */
async function signInErrorOf(error: unknown): Promise<SignInError> {
  if (error instanceof AuthorizationResponseError) return fromWord(error.error);
  if (error instanceof ResponseBodyError) return fromWord(error.error);
  if (error instanceof WWWAuthenticateChallengeError) return fromAnswer(error.response);
  if (error instanceof Response) return fromAnswer(error);
  if (error instanceof ClientError) return fromClientError(error);
  if (error instanceof ZodError || error instanceof SyntaxError) return "network-request-failed";
  // Thrown by fetch when there is no response.
  if (error instanceof TypeError && error.message === "fetch failed") return "network-request-failed";
  throw error;
}

function fromWord(word: unknown): SignInError {
  if (word === "access_denied") return "access-denied";
  if (REFUSED_CLIENT.has(word)) return "invalid-api-key";
  return AWAY.has(word) ? "network-request-failed" : "provider-refused";
}

async function fromAnswer(answer: Response): Promise<SignInError> {
  if (answer.status >= 500) return "network-request-failed";
  const body: { error?: unknown } | null = answer.bodyUsed ? null : await answer.json().catch(() => null);
  const error = body?.error;
  if (typeof error === "object" && error !== null && "code" in error) {
    return REFUSED_APPLICATION.has(error.code) ? "invalid-api-key" : "provider-refused";
  }
  return fromWord(error);
}

async function fromClientError({ code, cause }: ClientError): Promise<SignInError> {
  switch (code) {
    case "OAUTH_RESPONSE_IS_NOT_CONFORM":
    case "OAUTH_RESPONSE_IS_NOT_JSON":
      return cause instanceof Response ? fromAnswer(cause) : "network-request-failed";
    case "OAUTH_TIMEOUT":
    case "OAUTH_ABORT":
    case "OAUTH_PARSE_ERROR":
      return "network-request-failed";
    case "OAUTH_INVALID_RESPONSE":
      return isAboutBody(cause) ? "network-request-failed" : "identity-unproven";
    default:
      return "identity-unproven";
  }
}

/** Whether the answer itself could not be read, rather than the ID token in it. */
function isAboutBody(cause: unknown): boolean {
  const details = cause instanceof Error ? cause.cause : null;
  return typeof details === "object" && details !== null && "body" in details;
}
