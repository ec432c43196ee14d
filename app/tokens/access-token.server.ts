import { randomUUID } from "node:crypto";
import { signPayload } from "../auth/keys.server.ts";
import type { Session } from "../auth/sessions.server.ts";
import { currentSubscription } from "../entitlements/subscription.server.ts";
import type { App } from "../http/context.server.ts";

const LIFETIME_SECONDS = 10 * 60;

export interface AccessToken {
  token: string;
  /** ISO 8601. */
  expiresAt: string;
}

/**
 * Signs a JWT that tells holders of our public keys who the user is and what they may use (design.md §5, Hosted app).
 * `sid` is the session's id, with which our endpoints check that the session is alive; the session token is not in it.
 */
export async function issueAccessToken(
  app: Pick<App, "config" | "db" | "log">,
  { id: sid, user }: Session,
): Promise<AccessToken> {
  const subscription = await currentSubscription(app.db, user.id);
  const iat = Math.floor(Date.now() / 1000);
  const exp = iat + LIFETIME_SECONDS;
  const token = await signPayload(app, {
    iss: app.config.publicOrigin,
    aud: app.config.tokenAudience,
    sub: user.id,
    email: user.email,
    email_verified: user.emailVerified,
    ...(user.name && { name: user.name }),
    tier: subscription?.tier ?? null,
    features: subscription?.features ?? [],
    sid,
    iat,
    exp,
    jti: randomUUID(),
  });
  return { token, expiresAt: new Date(exp * 1000).toISOString() };
}
