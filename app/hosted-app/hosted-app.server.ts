import { createRemoteJWKSet, errors, jwtVerify } from "jose";
import type { HandoffConfig } from "../config/config.server.ts";
import { type Failure, failure } from "../http/errors.ts";
import type { Log } from "../log/log.server.ts";
import { type HandoffClaims, readHandoffClaims, type TokenUse } from "./handoff-token.ts";

const TIMEOUT_MILLISECONDS = 5_000;
/** Asymmetric ones only: with a shared secret, this site could sign tokens as well as verify them. */
const ALGORITHMS = ["RS256", "ES256", "EdDSA"];
/** Codes of errors in fetching the keys, rather than in the token. */
const KEY_FETCH_ERRORS = new Set(["ERR_JOSE_GENERIC", "ERR_JWKS_TIMEOUT", "ERR_JWKS_INVALID"]);

export const BAD_HANDOFF = failure(
  401,
  "This sign-in has expired, was already used, or is meant for another site. Log in there again.",
);
const KEYS_UNAVAILABLE = failure(503, "We couldn’t check that it’s really you. Try again in a moment.");

/** Verifies the hosted app's tokens. */
export interface HostedApp {
  /** Failures: 401 for an invalid token; 503 while the keys cannot be fetched. */
  verify(token: string): Promise<({ ok: true } & HandoffClaims & TokenUse) | Failure>;
}

declare module "../http/context.server.ts" {
  interface App {
    /** `null` when no handoff is configured. */
    hostedApp: HostedApp | null;
  }
}

/** Keys are fetched on first use and cached for ten minutes, or until a token names an unknown one. */
export function connectHostedApp({ jwksUrl, issuer, audience }: HandoffConfig, log: Log): HostedApp {
  const keys = createRemoteJWKSet(new URL(jwksUrl), { timeoutDuration: TIMEOUT_MILLISECONDS });

  return {
    async verify(token) {
      try {
        const { payload } = await jwtVerify(token, keys, { issuer, audience, algorithms: ALGORITHMS });
        const handoff = readHandoffClaims(payload, Date.now() / 1000);
        return handoff ? { ok: true, ...handoff } : BAD_HANDOFF;
      } catch (error) {
        if (error instanceof errors.JOSEError && !KEY_FETCH_ERRORS.has(error.code)) {
          log.info({ reason: error.code, message: error.message }, "a handoff was refused");
          return BAD_HANDOFF;
        }
        log.warn({ error }, "the hosted app's keys could not be fetched");
        return KEYS_UNAVAILABLE;
      }
    },
  };
}
