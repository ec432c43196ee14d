import type { AppCheckConfig } from "../config/service-config.server.ts";
import type { App } from "../http/context.server.ts";
import { type Failure, failure } from "../http/errors.ts";
import type { Log } from "../log/log.server.ts";
import { trustRemoteKeys } from "./remote-keys.server.ts";

/** The header that client libraries send the token in (spec §7). */
const HEADER = "X-Firebase-AppCheck";

const NOT_OUR_APP = failure(401, "This app could not be verified. Send a valid App Check token.");
const KEYS_UNAVAILABLE = failure(503, "We couldn’t verify this app. Try again in a moment.");

/** Verifies that a call comes from one of the operator's apps, by Firebase App Check's tokens. */
type AppCheck = ReturnType<typeof connectAppCheck>;

declare module "../http/context.server.ts" {
  interface App {
    /** `null`: not configured, and tokens that are sent are ignored. */
    appCheck: AppCheck | null;
  }
}

/** Signature, issuer, audience and expiry are checked, as Firebase's documentation asks of a server of one's own. */
export function connectAppCheck({ jwksUrl, issuer, audience }: AppCheckConfig, log: Log) {
  return trustRemoteKeys(
    { jwksUrl, whose: "App Check", log },
    { issuer, audience, algorithms: ["RS256"], typ: "JWT", requiredClaims: ["sub", "exp"] },
  );
}

/** Failures: 401 without a valid token where one is required; 503 while the keys cannot be fetched. */
export async function checkApp(
  { appCheck }: Pick<App, "appCheck">,
  { headers }: Request,
): Promise<{ ok: true } | Failure> {
  if (!appCheck) return { ok: true };
  const token = headers.get(HEADER);
  if (!token) return NOT_OUR_APP;
  const verified = await appCheck.verify(token);
  if (verified === "unavailable") return KEYS_UNAVAILABLE;
  return verified === "invalid" ? NOT_OUR_APP : { ok: true };
}
