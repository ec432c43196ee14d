import { randomUUID } from "node:crypto";
import { refuseOtherAccount } from "../auth/account-mark.server.ts";
import { signPayload } from "../auth/keys.server.ts";
import { readSession } from "../auth/session.server.ts";
import type { Session } from "../auth/sessions.server.ts";
import { currentSubscription } from "../entitlements/subscription.server.ts";
import { callableError, handleApiErrors, wrongMethod } from "../http/callable.server.ts";
import { type App, fromContext } from "../http/context.server.ts";
import { failure } from "../http/errors.ts";
import { isFromAnotherOrigin } from "../http/origin-check.ts";
import { withLimit } from "../limits/rate-limit.server.ts";
import type { Route } from "./+types/token.ts";
import { TOKEN_LIMITS } from "./limits.ts";

/** Not for scripts of other origins. */
export function loader({ request, context }: Route.LoaderArgs) {
  const { app, state } = fromContext(context);
  return handleApiErrors({ app, state }, async () => {
    const isForeign = isFromAnotherOrigin(request, app.config.publicOrigin);
    const session = isForeign ? null : await readSession({ request, context });
    if (!session) return callableError(failure(401, "Log in first"));
    const other = refuseOtherAccount(app, request, session.user);
    if (other) return callableError(other);
    const answer = await withLimit(app, TOKEN_LIMITS.tokenByUser, session.user.id, async () =>
      Response.json(await issueAccessToken(app, session), { headers: { "Cache-Control": "no-store" } }),
    );
    return answer instanceof Response ? answer : callableError(answer);
  });
}

export function action() {
  return wrongMethod("GET, HEAD");
}

const LIFETIME_SECONDS = 10 * 60;

export interface AccessToken {
  token: string;
  /** ISO 8601. */
  expiresAt: string;
}

/** Who the user is and what they may use. `sid` is the session's id, no secret. */
async function issueAccessToken(
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
