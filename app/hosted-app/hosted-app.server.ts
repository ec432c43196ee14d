import type { HandoffConfig } from "../config/service-config.server.ts";
import { type Failure, failure } from "../http/errors.ts";
import type { Log } from "../log/log.server.ts";
import { trustRemoteKeys } from "../tokens/remote-keys.server.ts";
import { type HandoffClaims, readHandoffClaims, type TokenUse } from "./handoff-token.ts";

/** Asymmetric ones only: with a shared secret, this site could sign tokens as well as verify them. */
const ALGORITHMS = ["RS256", "ES256", "EdDSA"];

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

export function connectHostedApp({ jwksUrl, issuer, audience }: HandoffConfig, log: Log): HostedApp {
  const keys = trustRemoteKeys(
    { jwksUrl, whose: "the hosted app", log },
    { issuer, audience, algorithms: ALGORITHMS },
  );

  return {
    async verify(token) {
      const payload = await keys.verify(token);
      if (payload === "unavailable") return KEYS_UNAVAILABLE;
      if (payload === "invalid") return BAD_HANDOFF;
      const handoff = readHandoffClaims(payload, Date.now() / 1000);
      return handoff ? { ok: true, ...handoff } : BAD_HANDOFF;
    },
  };
}
