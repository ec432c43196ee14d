import { redirect } from "react-router";
import { fromContext } from "../../http/context.server.ts";
import { safePath } from "../../http/safe-path.ts";
import { ACCOUNT_FIELD } from "../../ui/account-mark.ts";
import type { Route } from "./+types/popup-start.ts";
import { failurePath, KEEP_OPENER, POPUP_NONCE } from "./flow-paths.ts";
import { isProvider, readIntent } from "./providers.ts";
import { startSignIn } from "./start.server.ts";

/** Without a nonce it ends where a form would. */
export async function loader(args: Route.LoaderArgs) {
  const { request, params, context } = args;
  const query = new URL(request.url).searchParams;
  const intent = readIntent(query.get("intent"));
  const popupNonce = query.get("nonce");
  if (!isProvider(params.provider) || !intent || (popupNonce !== null && !POPUP_NONCE.test(popupNonce))) {
    throw new Response("Not found", { status: 404 });
  }
  const { app } = fromContext(context);
  const isForeign = request.headers.get("sec-fetch-site") === "cross-site";
  if (isForeign || (intent !== "sign_in" && !isFromOurselves(request, app.config.publicOrigin)))
    return redirect("/login");
  const target = {
    provider: params.provider,
    intent,
    popupNonce,
    returnTo: safePath(query.get("return_to"), "/dashboard"),
  };
  const started = await startSignIn(args, target, query.get(ACCOUNT_FIELD));
  const next = "error" in started ? failurePath(target, started.error) : started.url.href;
  return redirect(next, { status: 302, headers: KEEP_OPENER });
}

/** Otherwise another site could connect its own identity, and the origin check ignores GET. */
function isFromOurselves({ headers }: Request, publicOrigin: string): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin";
  return URL.parse(headers.get("referer") ?? "")?.origin === publicOrigin;
}
