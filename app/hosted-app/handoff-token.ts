import { z } from "zod";
import { emailAddress, nameFromAddress, personName, photoUrl } from "../auth/person-fields.ts";

/** How far ahead a token may expire, and how far the hosted app's clock may be ahead of ours, in seconds. */
const LONGEST_SECONDS = 10 * 60;
const CLOCK_SECONDS = 30;

/** Whom the hosted app hands over. */
export interface HandedOver {
  /** The hosted app's own id of the user. */
  accountId: string;
  /** `null` when the token names none, or one that nobody can have. */
  email: string | null;
  /** Whether the hosted app says that the address is theirs. */
  isEmailVerified: boolean;
  /** As they want to be called, or what stands before the @ of their address. */
  name: string;
  image: string | null;
}

/** What makes the token one that is used once. */
export interface TokenUse {
  jti: string;
  expiresAt: Date;
}

/** A name for something, as JSON may write it and PostgreSQL can keep it. */
const identifier = z
  .string()
  .min(1)
  .max(255)
  .regex(/^\P{Cc}*$/u);

const claims = z.object({
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
 * What the claims of a token with a good signature, issuer and audience say (OpenID Connect Core §2, §5.1).
 *
 * @param now in seconds since 1970
 * @returns `null` for one that lives longer than ten minutes, is from the future, or cannot be told from another
 */
export function readHandoff(payload: unknown, now: number): (HandedOver & TokenUse) | null {
  const { success, data } = claims.safeParse(payload);
  if (!success || data.iat > now + CLOCK_SECONDS) return null;
  if (data.exp <= now || data.exp > now + LONGEST_SECONDS + CLOCK_SECONDS) return null;
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
