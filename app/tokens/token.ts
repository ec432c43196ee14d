import { refuseOtherAccount } from "../auth/account-mark.server.ts";
import { readSession } from "../auth/session.server.ts";
import { callableError, handleApiErrors, wrongMethod } from "../http/callable.server.ts";
import { fromContext } from "../http/context.server.ts";
import { failure } from "../http/errors.ts";
import { isFromAnotherOrigin } from "../http/origin-check.ts";
import { withLimit } from "../limits/rate-limit.server.ts";
import type { Route } from "./+types/token.ts";
import { issueAccessToken } from "./access-token.server.ts";
import { TOKEN_LIMITS } from "./limits.ts";

/** An access token for the signed-in browser, but not for scripts of other origins. */
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
