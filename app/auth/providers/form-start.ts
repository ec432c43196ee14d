import { redirect } from "react-router";
import { fromContext } from "../../http/context.server.ts";
import { readForm } from "../../http/form.server.ts";
import { loginPath, safePath, withReturnTo } from "../../http/safe-path.ts";
import type { Route } from "./+types/form-start.ts";
import { failurePath } from "./flow-paths.ts";
import { isProvider, readIntent } from "./providers.ts";
import type { SignInError } from "./sign-in-errors.ts";
import { startSignIn } from "./start.server.ts";

/** Without JavaScript, and when the popup was blocked. */
export async function action(args: Route.ActionArgs) {
  const { request, params, context } = args;
  const form = await readForm(request);
  const intent = readIntent(form.get("intent"));
  if (!isProvider(params.provider) || !intent) throw new Response("Not found", { status: 404 });
  const { app } = fromContext(context);
  const target = {
    provider: params.provider,
    intent,
    popupNonce: null,
    returnTo: safePath(form.get("return_to"), intent === "sign_in" ? "/dashboard" : "/account"),
  };

  const { publicOrigin, authorizedDomains } = app.config;
  const page = URL.parse(request.headers.get("origin") ?? "");
  if (page && !authorizedDomains.includes(page.hostname)) return redirectWith("unauthorized-domain");
  // On another of the site's names: the provider sends people back to this one.
  if (page && page.origin !== publicOrigin) return redirect(publicOrigin + loginPath(target.returnTo), 303);

  const started = await startSignIn(args, target);
  return "error" in started ? redirectWith(started.error) : redirect(started.url.href, 303);

  function redirectWith(error: SignInError) {
    const { returnTo } = target;
    if (error === "signed-out") return redirect(loginPath(returnTo), 303);
    if (error === "confirm-first")
      return redirect(withReturnTo("/account/confirm", returnTo, "/account"), 303);
    return redirect(failurePath(target, error), 303);
  }
}

export function loader() {
  return redirect("/login");
}
