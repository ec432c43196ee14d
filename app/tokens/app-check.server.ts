import type { AppCheckConfig } from "../config/service-config.server.ts";
import type { App } from "../http/context.server.ts";
import { type Failure, failure } from "../http/errors.ts";
import type { Log } from "../log/log.server.ts";
import { trustRemoteKeys } from "./remote-keys.server.ts";

/** Spec §7. */
const HEADER = "X-Firebase-AppCheck";

const NOT_OUR_APP = failure(401, "This app could not be verified. Send a valid App Check token.");
const KEYS_UNAVAILABLE = failure(503, "We couldn’t verify this app. Try again in a moment.");

/** Firebase App Check: a call comes from one of the operator's apps. */
type AppCheck = ReturnType<typeof connectAppCheck>;

declare module "../http/context.server.ts" {
  interface App {
    /** `null`: not configured, and tokens are ignored. */
    appCheck: AppCheck | null;
  }
}

/** Checks signature, issuer, audience and expiry, as Firebase's documentation asks. */
export function connectAppCheck({ jwksUrl, issuer, audience }: AppCheckConfig, log: Log) {
  return trustRemoteKeys(
    { jwksUrl, whose: "App Check", log },
    { issuer, audience, algorithms: ["RS256"], typ: "JWT", requiredClaims: ["sub", "exp"] },
  );
}

/** Failures: 401 without a valid token; 503 while the keys cannot be fetched. */
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
