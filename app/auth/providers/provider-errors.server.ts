import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from "openid-client";
import { ZodError } from "zod";
import { ProfileError } from "./identity.server.ts";
import type { SignInError } from "./sign-in-errors.ts";

/** The provider refuses our client id or secret (RFC 6749 §4.1.2.1 and §5.2). */
const REFUSED_CLIENT = new Set<unknown>(["invalid_client", "unauthorized_client"]);
/** The same in the Graph API's numbers: an unknown application, and a wrong secret. */
const REFUSED_APPLICATION = new Set<unknown>([101, 1]);
const AWAY = new Set<unknown>(["server_error", "temporarily_unavailable"]);

/** The error that people are told for what was thrown while a provider was asked. @throws what is a mistake of ours */
export async function signInErrorOf(error: unknown): Promise<SignInError> {
  if (error instanceof AuthorizationResponseError) return fromWord(error.error);
  if (error instanceof ResponseBodyError) return fromWord(error.error);
  if (error instanceof WWWAuthenticateChallengeError) return fromAnswer(error.response);
  if (error instanceof ProfileError) return fromAnswer(error.answer);
  if (error instanceof ClientError) return fromClientError(error);
  if (error instanceof ZodError || error instanceof SyntaxError) return "network-request-failed";
  // What fetch throws when nobody answers.
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

/** Of answers that are not as they should be: whether the whole is meant, and not the ID token in it. */
function isAboutBody(cause: unknown): boolean {
  const details = cause instanceof Error ? cause.cause : null;
  return typeof details === "object" && details !== null && "body" in details;
}
