import { safePath } from "../../http/safe-path.ts";
import { PRIVATE_HEADERS, PrivatePage } from "../../ui/private-page.tsx";
import type { RouteHandle } from "../../ui/route-handle.ts";
import type { Route } from "./+types/popup-done.ts";
import { KEEP_OPENER, pagePath } from "./flow-paths.ts";
import { isProvider, readIntent } from "./providers.ts";
import { readSignInError, reasonOf, SIGN_IN_FAILURES } from "./sign-in-errors.ts";

export const handle: RouteHandle = { inlineScript: "tell-opener" };

export const headers = () => ({ ...PRIVATE_HEADERS, ...KEEP_OPENER });

/** Shown before the popup closes, or if it cannot. */
export function loader({ request }: Route.LoaderArgs) {
  const query = new URL(request.url).searchParams;
  const provider = query.get("provider");
  const error = readSignInError(query.get("error"));
  const intent = readIntent(query.get("intent")) ?? "sign_in";
  const returnTo = safePath(query.get("return_to"), intent === "sign_in" ? "/dashboard" : "/account");
  const isPopup = Boolean(query.get("nonce"));
  if (!isProvider(provider) || !error) return { title: "Done", reason: null, next: returnTo, isPopup };
  const target = { provider, intent, returnTo, popupNonce: null };
  return {
    title: error === "second-factor" ? "One more step" : SIGN_IN_FAILURES[provider],
    reason: reasonOf(provider, error),
    next: pagePath(target, error),
    isPopup,
  };
}

export default function PopupDone({ loaderData }: Route.ComponentProps) {
  const { title, reason, next, isPopup } = loaderData;
  return (
    <PrivatePage title={title}>
      <h1 className="text-[2rem]">{title}</h1>
      {reason && <p>{reason}</p>}
      {isPopup && <p>You can close this window and go back to the other page.</p>}
      <p>
        <a href={next} className="inline-flex items-center min-h-11">
          {isPopup ? "Continue in this window" : "Try again"}
        </a>
      </p>
    </PrivatePage>
  );
}
