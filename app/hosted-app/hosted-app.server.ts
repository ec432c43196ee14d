import { data, type RouterContextProvider } from "react-router";
import { z } from "zod";
import { emailAddress, nameFromAddress, personName, photoUrl } from "../auth/person-fields.server.ts";
import type { HandoffConfig } from "../config/service-config.server.ts";
import { fromContext } from "../http/context.server.ts";
import { type Failure, failure } from "../http/errors.ts";
import type { Log } from "../log/log.server.ts";
import { trustRemoteKeys } from "../tokens/remote-keys.server.ts";

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

/** The longest lifetime of a token, and how far the hosted app's clock may be ahead of ours, in seconds. */
const MAX_LIFETIME_SECONDS = 10 * 60;
const CLOCK_SKEW_SECONDS = 30;

/** The user handed over by the hosted app. */
export interface HandoffClaims {
  /** The hosted app's own id of the user. */
  accountId: string;
  /** `null` when the token has none, or an invalid one. */
  email: string | null;
  /** Whether the hosted app has verified the address. */
  isEmailVerified: boolean;
  /** The user's name, or else the local part of the address. */
  name: string;
  image: string | null;
}

/** Identifies the token, so that it is used only once. */
export interface TokenUse {
  jti: string;
  expiresAt: Date;
}

/** An identifier that PostgreSQL can store. */
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

/** Claims of a verified token (OpenID Connect Core §2, §5.1); `null`: too long-lived, not valid now (seconds), or without an id. */
function readHandoffClaims(payload: unknown, now: number): (HandoffClaims & TokenUse) | null {
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

/** Guards the actions of sign-in and sign-up. @throws the 405 page when SIGN_IN=redirect leaves both to the hosted app */
export function requireLocalSignIn(context: Readonly<RouterContextProvider>): void {
  const { hostedAppUrl } = fromContext(context).app.config.site;
  if (hostedAppUrl !== null) throw data(null, { status: 405 });
}
