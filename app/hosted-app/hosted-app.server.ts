import { data, type RouterContextProvider } from "react-router";
import { z } from "zod";
import { emailAddress, nameFromAddress, personName, photoUrl } from "../auth/person-fields.server.ts";
import type { Identity } from "../auth/providers/identity.server.ts";
import type { HandoffConfig } from "../config/service-config.server.ts";
import { fromContext } from "../http/context.server.ts";
import { type Failure, failure } from "../http/errors.ts";
import type { Log } from "../log/log.server.ts";
import { trustRemoteKeys } from "../tokens/remote-keys.server.ts";

/** Asymmetric: with a shared secret, this site could sign tokens as well as verify them. */
const ALGORITHMS = ["RS256", "ES256", "EdDSA"];

export const BAD_HANDOFF = failure(
  401,
  "This sign-in has expired, was already used, or is meant for another site. Log in there again.",
);
const KEYS_UNAVAILABLE = failure(503, "We couldn’t check that it’s really you. Try again in a moment.");

declare module "../http/context.server.ts" {
  interface App {
    hostedApp: ReturnType<typeof connectHostedApp> | null;
  }
}

export function connectHostedApp({ jwksUrl, issuer, audience }: HandoffConfig, log: Log) {
  const keys = trustRemoteKeys(
    { jwksUrl, whose: "the hosted app", log },
    { issuer, audience, algorithms: ALGORITHMS },
  );

  return {
    /** Failures: 401 for an invalid token; 503 while the keys cannot be fetched. */
    async verify(token: string): Promise<({ ok: true } & Handoff) | Failure> {
      const payload = await keys.verify(token);
      if (payload === "unavailable") return KEYS_UNAVAILABLE;
      if (payload === "invalid") return BAD_HANDOFF;
      const handoff = readHandoff(payload, Date.now() / 1000);
      return handoff ? { ok: true, ...handoff } : BAD_HANDOFF;
    },
  };
}

/** Of a token, and how far the hosted app's clock may be ahead of ours. */
const MAX_LIFETIME_SECONDS = 10 * 60;
const CLOCK_SKEW_SECONDS = 30;

/** Whose token it is, and what makes sure that it is used only once. */
export interface Handoff extends Omit<Identity, "provider"> {
  jti: string;
  expiresAt: Date;
}

/** PostgreSQL can store it. */
const identifier = z
  .string()
  .min(1)
  .max(255)
  .regex(/^\P{Cc}*$/u);

const handoffClaims = z.object({
  sub: identifier,
  jti: identifier,
  iat: z.number(),
  exp: z.number(),
  email: emailAddress.nullable().catch(null),
  email_verified: z.boolean().catch(false),
  name: personName.nullable().catch(null),
  picture: photoUrl.nullable().catch(null),
});

/** OpenID Connect Core §2, §5.1. `null`: too long-lived, not valid now (seconds), or without an id. */
function readHandoff(payload: unknown, now: number): Handoff | null {
  const { success, data } = handoffClaims.safeParse(payload);
  if (!success || data.iat > now + CLOCK_SKEW_SECONDS) return null;
  if (data.exp <= now || data.exp > now + MAX_LIFETIME_SECONDS + CLOCK_SKEW_SECONDS) return null;
  return {
    accountId: data.sub,
    email: data.email,
    isEmailVerified: data.email_verified,
    name: data.name ?? nameFromAddress(data.email ?? ""),
    image: data.picture,
    jti: data.jti,
    expiresAt: new Date(data.exp * 1000),
  };
}

/** @throws the 405 page when SIGN_IN=redirect leaves sign-in and sign-up to the hosted app */
export function requireLocalSignIn(context: Readonly<RouterContextProvider>): void {
  const { hostedAppUrl } = fromContext(context).app.config.site;
  if (hostedAppUrl !== null) throw data(null, { status: 405 });
}
