import { createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyOptions, jwtVerify } from "jose";
import type { Log } from "../log/log.server.ts";

const TIMEOUT_MILLISECONDS = 5_000;
/** The keys could not be fetched; the token may be valid. */
const KEY_FETCH_ERRORS = new Set(["ERR_JOSE_GENERIC", "ERR_JWKS_TIMEOUT", "ERR_JWKS_INVALID"]);

/** Fetched on first use and kept for ten minutes, or until one is unknown. */
export function trustRemoteKeys(
  { jwksUrl, whose, log }: { jwksUrl: string; whose: string; log: Log },
  options: JWTVerifyOptions,
): { verify(token: string): Promise<JWTPayload | "invalid" | "unavailable"> } {
  const keys = createRemoteJWKSet(new URL(jwksUrl), { timeoutDuration: TIMEOUT_MILLISECONDS });

  return {
    async verify(token) {
      try {
        return (await jwtVerify(token, keys, options)).payload;
      } catch (error) {
        if (error instanceof errors.JOSEError && !KEY_FETCH_ERRORS.has(error.code)) {
          log.info({ reason: error.code, message: error.message }, `a token of ${whose} was refused`);
          return "invalid";
        }
        log.warn({ error }, `the keys of ${whose} could not be fetched`);
        return "unavailable";
      }
    },
  };
}
