import { redirect } from "react-router";
import { requireFreshSession } from "../auth/session.server.ts";
import { fromContext } from "../http/context.server.ts";
import { withLimit } from "../limits/rate-limit.server.ts";
import type { Route } from "./+types/export.ts";
import { exportFile } from "./export.server.ts";
import { ACCOUNT_LIMITS } from "./limits.ts";

/** Failures lead back to the account page, which a download does not replace. */
export async function loader(args: Route.LoaderArgs) {
  const { app, state } = fromContext(args.context);
  try {
    const { user } = await requireFreshSession(args, "/account?export=ready");
    const answer = await withLimit(app, ACCOUNT_LIMITS.exportByUser, user.id, () => exportFile(app, user.id));
    if (answer instanceof Response) return answer;
    const { message, status, headers } = answer;
    return new Response(message, { status, headers: { ...headers, "Content-Type": "text/plain" } });
  } catch (error) {
    if (error instanceof Response) throw error;
    app.log.error({ error, id: state.id }, "an account could not be exported");
    return redirect("/account?export=failed", 303);
  }
}
