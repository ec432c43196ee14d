import { createRemoteJWKSet, errors, jwtVerify } from "jose";
import type { HandoffConfig } from "../config/config.server.ts";
import { type Failure, failure } from "../http/errors.ts";
import type { Log } from "../log/log.server.ts";
import { type HandedOver, readHandoff, type TokenUse } from "./handoff-token.ts";

const TIMEOUT_MILLISECONDS = 5_000;
/** Only what has a public half: with a shared secret, whoever can verify could also sign. */
const ALGORITHMS = ["RS256", "ES256", "EdDSA"];
/** What is wrong on the way to the keys, and not with the token. */
const KEYS_AWAY = new Set(["ERR_JOSE_GENERIC", "ERR_JWKS_TIMEOUT", "ERR_JWKS_INVALID"]);

export const BAD_HANDOFF = failure(
  401,
  "What arrived here is expired, was used already, or is not meant for this site. Log in there again.",
);
const AWAY = failure(503, "We could not ask whether it is really you. Try again in a moment.");

/** The hosted app as far as we talk to it. */
export interface HostedApp {
  /** Failures: 401 for a token that is not a good one; 503 while its keys cannot be had. */
  verify(token: string): Promise<({ ok: true } & HandedOver & TokenUse) | Failure>;
}

declare module "../http/context.server.ts" {
  interface App {
    /** Hands its users over to us; `null` when there is none. */
    hostedApp: HostedApp | null;
  }
}

/** Its keys are fetched when first needed and kept for ten minutes, or until a token names one that is not among them. */
export function connectHostedApp({ jwksUrl, issuer, audience }: HandoffConfig, log: Log): HostedApp {
  const keys = createRemoteJWKSet(new URL(jwksUrl), { timeoutDuration: TIMEOUT_MILLISECONDS });

  return {
    async verify(token) {
      try {
        const { payload } = await jwtVerify(token, keys, { issuer, audience, algorithms: ALGORITHMS });
        const handoff = readHandoff(payload, Date.now() / 1000);
        return handoff ? { ok: true, ...handoff } : BAD_HANDOFF;
      } catch (error) {
        if (error instanceof errors.JOSEError && !KEYS_AWAY.has(error.code)) {
          log.info({ reason: error.code, message: error.message }, "a handoff was refused");
          return BAD_HANDOFF;
        }
        log.warn({ error }, "the hosted app's keys could not be fetched");
        return AWAY;
      }
    },
  };
}
