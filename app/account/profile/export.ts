import { redirect } from "react-router";
import { requireFreshSession } from "../../auth/session.server.ts";
import { type App, fromContext } from "../../http/context.server.ts";
import { withLimit } from "../../limits/rate-limit.server.ts";
import { ACCOUNT_LIMITS } from "../limits.ts";
import type { Route } from "./+types/export.ts";
import { exportAccount } from "./export.server.ts";

/**
 * Downloads everything we keep about the user. Confirming the password, and failures, lead back to the account page,
 * because a download does not replace the page it was started from.
 */
export async function loader(args: Route.LoaderArgs) {
  const { app, state } = fromContext(args.context);
  try {
    const { user } = await requireFreshSession(args, "/account?export=ready");
    const answer = await withLimit(app, ACCOUNT_LIMITS.exportByUser, user.id, () =>
      answerWithFile(app, user.id),
    );
    if (answer instanceof Response) return answer;
    const { message, status, headers } = answer;
    return new Response(message, { status, headers: { ...headers, "Content-Type": "text/plain" } });
  } catch (error) {
    if (error instanceof Response) throw error;
    app.log.error({ error, id: state.id }, "an account could not be exported");
    return redirect("/account?export=failed", 303);
  }
}

async function answerWithFile(app: App, userId: string): Promise<Response> {
  const { product } = app.config.site;
  const exportedAt = new Date();
  const body = { product, exportedAt, ...(await exportAccount(app.db, userId)) };
  return new Response(`${JSON.stringify(body, null, 2)}\n`, {
    headers: {
      "Content-Type": "application/json; charset=utf-8",
      "Content-Disposition": `attachment; filename="${fileName(product, exportedAt)}"`,
      "Cache-Control": "no-store",
    },
  });
}

/** In ASCII letters, digits and hyphens: safe in any file system and header. */
function fileName(product: string, at: Date): string {
  const name = product
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");
  return `${[name, "account", at.toISOString().slice(0, 10)].filter(Boolean).join("-")}.json`;
}
