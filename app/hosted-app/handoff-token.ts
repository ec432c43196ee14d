import { z } from "zod";
import { emailAddress, nameFromAddress, personName, photoUrl } from "../auth/person-fields.server.ts";

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

/**
 * Reads the claims of a token whose signature, issuer and audience are verified (OpenID Connect Core §2, §5.1).
 *
 * @param now in seconds since 1970
 * @returns `null` when the token lives longer than ten minutes, is issued in the future, is expired, or lacks an id
 */
export function readHandoffClaims(payload: unknown, now: number): (HandoffClaims & TokenUse) | null {
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
